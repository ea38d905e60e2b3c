// Memory is sequentially consistent, whatever order the program asks for.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete, runs=6
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  alignas(8) int a = 0;
  alignas(8) int b = 0;
  std::thread first([&] {
    x.store(1, std::memory_order_relaxed);
    a = y.load(std::memory_order_relaxed);
  });
  std::thread second([&] {
    y.store(1, std::memory_order_relaxed);
    b = x.load(std::memory_order_relaxed);
  });
  first.join();
  second.join();
  assert(a + b > 0);
}
