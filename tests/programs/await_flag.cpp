// A loop that does nothing but read a flag waits for it: exhaustive search ends, no schedule is cut off.
// RUN: heddle run --strategy=dfs --runs=100000
// EXPECT: clean, complete
// RUN: heddle run --strategy=random --runs=300
// EXPECT: clean
// RUN: heddle run --strategy=pct --runs=300
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> flag{false};
int value = 0;

int main() {
  std::thread setter([] {
    value = 42;
    flag.store(true, std::memory_order_release);
  });
  while (!flag.load(std::memory_order_acquire)) {
  }
  assert(value == 42);
  setter.join();
}
