// Atomic operations of 16 bytes are whole.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <thread>

using Wide = unsigned __int128;

int main() {
  alignas(16) Wide value = 0;
  const Wide step = (Wide{1} << 64) + 1;
  const auto add = [&] {
    for (int i = 0; i < 3; ++i) {
      Wide seen = __atomic_load_n(&value, __ATOMIC_ACQUIRE);
      while (!__atomic_compare_exchange_n(&value, &seen, seen + step, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE)) {
      }
    }
  };
  std::thread other(add);
  add();
  other.join();
  assert(value == 6 * step);
  assert(__atomic_exchange_n(&value, Wide{7}, __ATOMIC_SEQ_CST) == 6 * step);
  __atomic_store_n(&value, step, __ATOMIC_RELEASE);
  assert(__atomic_fetch_add(&value, step, __ATOMIC_RELAXED) == step);
}
