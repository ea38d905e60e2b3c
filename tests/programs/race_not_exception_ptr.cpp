// An exception that two threads look at is destroyed by the last: libstdc++.so counts, unseen.
// RUN: heddle run --runs=300
// EXPECT: clean
#include <exception>
#include <string>
#include <thread>

struct Failure {
  std::string why = "long enough to live on the heap, for certain";
  ~Failure() { why.clear(); }
};

void Look(std::exception_ptr mine) {
  try {
    std::rethrow_exception(mine);
  } catch (const Failure& failure) {
    if (failure.why.size() < 10) __builtin_abort();
  }
}

int main() {
  std::exception_ptr thrown = std::make_exception_ptr(Failure());
  std::thread a(Look, thrown);
  std::thread b(Look, thrown);
  thrown = nullptr;
  a.join();
  b.join();
}
