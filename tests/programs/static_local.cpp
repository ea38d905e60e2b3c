// A static local is made once; others wait until it is whole.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> made{0};

struct Made {
  int value;
  explicit Made(int start) : value(start) {
    std::this_thread::yield();
    ++made;
    value = 42;
  }
};

const Made& Get() {
  static const Made instance(made.load());
  return instance;
}

int main() {
  const auto use = [] { assert(Get().value == 42); };
  std::thread a(use);
  std::thread b(use);
  use();
  a.join();
  b.join();
  assert(made == 1);
}
