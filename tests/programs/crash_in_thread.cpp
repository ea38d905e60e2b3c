// A null pointer that is there in one order only.
// RUN: heddle run --runs=500
// EXPECT: kind=crash, output~SIGSEGV
#include <atomic>
#include <thread>

int value = 1;
std::atomic<int*> pointer{&value};

int main() {
  std::thread a([] { ++*static_cast<volatile int*>(pointer.load()); });
  std::thread b([] { pointer = nullptr; });
  a.join();
  b.join();
}
