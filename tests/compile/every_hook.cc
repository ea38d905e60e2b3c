// Provokes every hook that a compiler emits for -fsanitize=thread.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

template <typename T>
struct __attribute__((packed)) Unaligned {
  char before;
  T value;
};

template <typename T>
__attribute__((noinline)) void Plain(T* p, volatile T* v, Unaligned<T>* u) {
  *p = *v;
  *v = *p;
  u->value = *p;
  *p += u->value;
  u->value += 1;
}

template <typename T>
__attribute__((noinline)) T Atomic(T* p) {
  constexpr int kOrder = __ATOMIC_SEQ_CST;
  __atomic_store_n(p, T(1), kOrder);
  T expected = 2;
  __atomic_compare_exchange_n(p, &expected, T(3), false, kOrder, kOrder);
  __atomic_compare_exchange_n(p, &expected, T(4), true, kOrder, kOrder);
  T sum = __atomic_exchange_n(p, T(5), kOrder);
  sum += __atomic_fetch_add(p, T(1), kOrder);
  sum += __atomic_fetch_sub(p, T(1), kOrder);
  sum += __atomic_fetch_and(p, T(7), kOrder);
  sum += __atomic_fetch_or(p, T(1), kOrder);
  sum += __atomic_fetch_xor(p, T(1), kOrder);
  sum += __atomic_fetch_nand(p, T(1), kOrder);
  sum += __sync_val_compare_and_swap(p, T(8), T(9));
  return sum + __atomic_load_n(p, kOrder);
}

struct Base {
  virtual ~Base() = default;
  virtual int Value() { return 1; }
};
struct Derived : Base {
  int Value() override { return 2; }
};

struct Big {
  char bytes[100];
};

__attribute__((noinline)) int Virtual(Base* base) { return base->Value(); }
__attribute__((noinline)) void Copy(Big* to, const Big* from) { *to = *from; }

template <typename T>
void All() {
  T plain = 1;
  volatile T observed = 2;
  Unaligned<T> unaligned = {0, 3};
  Plain(&plain, &observed, &unaligned);
  alignas(16) T atomic = 0;
  std::printf("%d ", static_cast<int>(Atomic(&atomic)));
}

}  // namespace

int main(int argc, char**) {
  All<std::uint8_t>();
  All<std::uint16_t>();
  All<std::uint32_t>();
  All<std::uint64_t>();
  All<unsigned __int128>();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Base* const base = argc > 1 ? new Base : new Derived;
  std::printf("%d ", Virtual(base));
  delete base;
  Big a;
  Big b;
  std::memset(&a, argc, sizeof a);
  Copy(&b, &a);
  std::memmove(&a, &b, static_cast<std::size_t>(argc));
  std::memcpy(&b, &a, static_cast<std::size_t>(argc));
  std::printf("%d\n", b.bytes[99]);
}
