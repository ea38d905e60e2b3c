// Relaxed atomics by themselves never race; joining makes the sum visible.
// RUN: heddle run --runs=200
// EXPECT: clean
#include <atomic>
#include <thread>

std::atomic<int> counter{0};

int main() {
  std::thread a([] { counter.fetch_add(1, std::memory_order_relaxed); });
  std::thread b([] { counter.fetch_add(1, std::memory_order_relaxed); });
  a.join();
  b.join();
  return counter.load(std::memory_order_relaxed) == 2 ? 0 : 1;
}
