// With --keep-going both bugs are found and counted.
// RUN: heddle run --runs=500 --keep-going
// EXPECT: kinds=assertion+crash
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> x{0};
  std::thread a([&] {
    const int first = x;
    const int second = x;
    assert(first == second);
    volatile int* volatile nowhere = nullptr;
    if (first == 1) *nowhere = 1;
  });
  std::thread b([&] { x = 1; });
  a.join();
  b.join();
}
