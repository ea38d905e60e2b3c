/* Atomic operations of 128 bits, all built on cmpxchg16b (compiled with -mcx16; libatomic is not
 * used, because its calls would go through the program's). See atomic.c for what the engine is
 * told: of the value, the low half.
 */
#include <cpuid.h>

#include "hot.h"

typedef unsigned __int128 uint128;

#define ORDER_OF(order) ((order)&0xffff)

HEDDLE_INLINE uint128 CompareAndSwap(volatile uint128* address, uint128 expected, uint128 desired) {
  return __sync_val_compare_and_swap(address, expected, desired);
}

static int aligned_loads_are_atomic;

/* Every processor with AVX loads 16 aligned bytes at once; and a load by cmpxchg16b would fault on
 * a read-only page. */
__attribute__((constructor)) static void AskTheProcessor(void) {
  unsigned a, b, c, d;
  aligned_loads_are_atomic = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_AVX) != 0;
}

HEDDLE_INLINE uint128 Load(const volatile uint128* address) {
  if (!aligned_loads_are_atomic) return CompareAndSwap((volatile uint128*)address, 0, 0);
  uint64_t low, high;
  __asm__ volatile(
      "movdqa %2, %%xmm0\n\t"
      "movq %%xmm0, %0\n\t"
      "psrldq $8, %%xmm0\n\t"
      "movq %%xmm0, %1"
      : "=r"(low), "=r"(high)
      : "m"(*address)
      : "xmm0", "memory");
  return ((uint128)high << 64) | low;
}

/* Replaces the value by `expression` of `old` and `value`, and leaves the former value in `old`. */
#define REPLACE(expression)                                          \
  uint128 old = Load(address);                                       \
  for (;;) {                                                         \
    const uint128 seen = CompareAndSwap(address, old, (expression)); \
    if (seen == old) break;                                          \
    old = seen;                                                      \
  }

HEDDLE_HOOK uint128 __tsan_atomic128_load(const volatile uint128* address, int order) {
  if (!heddle_is_active()) return Load(address);
  heddle_atomic_begin(HEDDLE_CALLER, (const void*)address, 16, HEDDLE_LOAD, ORDER_OF(order));
  const uint128 value = Load(address);
  heddle_atomic_end((uint64_t)value, 0);
  return value;
}

HEDDLE_HOOK void __tsan_atomic128_store(volatile uint128* address, uint128 value, int order) {
  const int is_active = heddle_is_active();
  if (is_active) {
    heddle_atomic_begin(HEDDLE_CALLER, (const void*)address, 16, HEDDLE_STORE, ORDER_OF(order));
  }
  REPLACE(value)
  if (is_active) heddle_atomic_end((uint64_t)value, 0);
}

#define DEFINE_FETCH(name, expression)                                                       \
  HEDDLE_HOOK uint128 __tsan_atomic128_##name(volatile uint128* address, uint128 value,      \
                                              int order) {                                   \
    const int is_active = heddle_is_active();                                                \
    if (is_active) {                                                                         \
      heddle_atomic_begin(HEDDLE_CALLER, (const void*)address, 16, HEDDLE_READ_MODIFY_WRITE, \
                          ORDER_OF(order));                                                  \
    }                                                                                        \
    REPLACE(expression)                                                                      \
    if (is_active) heddle_atomic_end((uint64_t)(expression), 0);                             \
    return old;                                                                              \
  }

DEFINE_FETCH(exchange, value)
DEFINE_FETCH(fetch_add, old + value)
DEFINE_FETCH(fetch_sub, old - value)
DEFINE_FETCH(fetch_and, old& value)
DEFINE_FETCH(fetch_or, old | value)
DEFINE_FETCH(fetch_xor, old ^ value)
DEFINE_FETCH(fetch_nand, ~(old& value))

HEDDLE_INLINE uint128 CompareExchange(uint64_t pc, volatile uint128* address, uint128 expected,
                                      uint128 desired, int order, int failure_order) {
  if (!heddle_is_active()) return CompareAndSwap(address, expected, desired);
  heddle_compare_begin(pc, (const void*)address, 16, (uint64_t)expected, ORDER_OF(order));
  const uint128 seen = CompareAndSwap(address, expected, desired);
  heddle_atomic_end((uint64_t)(seen == expected ? desired : seen),
                    seen == expected ? -1 : 1 + ORDER_OF(failure_order));
  return seen;
}

HEDDLE_HOOK int __tsan_atomic128_compare_exchange_strong(volatile uint128* address,
                                                         uint128* expected, uint128 desired,
                                                         int order, int failure_order) {
  const uint128 seen =
      CompareExchange(HEDDLE_CALLER, address, *expected, desired, order, failure_order);
  if (seen == *expected) return 1;
  *expected = seen;
  return 0;
}

HEDDLE_HOOK int __tsan_atomic128_compare_exchange_weak(volatile uint128* address, uint128* expected,
                                                       uint128 desired, int order,
                                                       int failure_order) {
  const uint128 seen =
      CompareExchange(HEDDLE_CALLER, address, *expected, desired, order, failure_order);
  if (seen == *expected) return 1;
  *expected = seen;
  return 0;
}

HEDDLE_HOOK uint128 __tsan_atomic128_compare_exchange_val(volatile uint128* address,
                                                          uint128 expected, uint128 desired,
                                                          int order, int failure_order) {
  return CompareExchange(HEDDLE_CALLER, address, expected, desired, order, failure_order);
}
