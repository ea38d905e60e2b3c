// Atomic operations of 1 to 8 bytes, in every order, lose nothing.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

template <typename T>
void Exercise() {
  std::atomic<T> value{0};
  const auto add = [&value] {
    for (const std::memory_order order :
         {std::memory_order_relaxed, std::memory_order_acq_rel, std::memory_order_seq_cst}) {
      value.fetch_add(1, order);
    }
    T seen = value.load(std::memory_order_acquire);
    while (!value.compare_exchange_weak(seen, static_cast<T>(seen + 1), std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
    value.fetch_xor(0);
    value.fetch_or(0, std::memory_order_release);
    value.fetch_and(static_cast<T>(-1), std::memory_order_acquire);
    value.fetch_sub(1);
  };
  std::thread other(add);
  add();
  other.join();
  assert(value.load() == 6);
  assert(value.exchange(9, std::memory_order_relaxed) == 6);
  T expected = 1;
  assert(!value.compare_exchange_strong(expected, 2) && expected == 9);
  value.store(3, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_signal_fence(std::memory_order_acquire);
  assert(value == 3);
}

int main() {
  Exercise<std::uint8_t>();
  Exercise<std::uint16_t>();
  Exercise<std::uint32_t>();
  Exercise<std::uint64_t>();
}
