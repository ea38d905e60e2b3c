// Two atomic operations are not one.
// RUN: heddle run --runs=500
// EXPECT: kind=assertion
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<unsigned char> value{0};
  const auto add = [&value] {
    const unsigned char seen = value.load(std::memory_order_relaxed);
    value.store(seen + 1, std::memory_order_relaxed);
  };
  std::thread a(add);
  std::thread b(add);
  a.join();
  b.join();
  assert(value == 2);
}
