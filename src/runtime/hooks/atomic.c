/* Atomic operations of 8 to 64 bits, and fences.
 *
 * Loads and stores are the engine's. It is told before the others (it may run other threads there)
 * and after; they themselves happen here, sequentially consistent. The value told is the one the
 * location holds afterwards.
 */
#include "hot.h"

/* gcc may set hints for transactional memory above the order. */
#define ORDER_OF(order) ((order)&0xffff)

/* EngineLoad is heddle_atomic_load under the type that is asked for: with the conversion behind the
 * call the compiler would come back for it. */
#define DEFINE_LOAD_STORE(bits, type)                                                            \
  type EngineLoad##bits(uint64_t pc, const void* address, uint32_t size,                         \
                        int order) __asm__("heddle_atomic_load");                                \
  HEDDLE_HOOK type __tsan_atomic##bits##_load(const volatile type* address, int order) {         \
    if (!heddle_is_active()) return __atomic_load_n(address, __ATOMIC_SEQ_CST);                  \
    return EngineLoad##bits(HEDDLE_CALLER, (const void*)address, sizeof(type), ORDER_OF(order)); \
  }                                                                                              \
  HEDDLE_HOOK void __tsan_atomic##bits##_store(volatile type* address, type value, int order) {  \
    if (heddle_is_active()) {                                                                    \
      heddle_atomic_store(HEDDLE_CALLER, (void*)address, sizeof(type), value, ORDER_OF(order));  \
    } else if (ORDER_OF(order) == __ATOMIC_SEQ_CST) {                                            \
      __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    } else {                                                                                     \
      __atomic_store_n(address, value, __ATOMIC_RELEASE);                                        \
    }                                                                                            \
  }

#define DEFINE_FETCH(bits, type, name, builtin, result)                                          \
  HEDDLE_HOOK type __tsan_atomic##bits##_##name(volatile type* address, type value, int order) { \
    if (!heddle_is_active()) return builtin(address, value, __ATOMIC_SEQ_CST);                   \
    heddle_atomic_begin(HEDDLE_CALLER, (const void*)address, sizeof(type),                       \
                        HEDDLE_READ_MODIFY_WRITE, ORDER_OF(order));                              \
    const type old = builtin(address, value, __ATOMIC_SEQ_CST);                                  \
    heddle_atomic_end((type)(result), 0);                                                        \
    return old;                                                                                  \
  }

/* The fast path of all compare-exchanges is this function inlined without the engine. */
#define DEFINE_COMPARE_EXCHANGE(bits, type)                                                    \
  HEDDLE_INLINE int CompareExchange##bits(uint64_t pc, volatile type* address, type* expected, \
                                          type desired, int order, int failure_order) {        \
    if (!heddle_is_active()) {                                                                 \
      return __atomic_compare_exchange_n(address, expected, desired, 0, __ATOMIC_SEQ_CST,      \
                                         __ATOMIC_SEQ_CST);                                    \
    }                                                                                          \
    heddle_compare_begin(pc, (const void*)address, sizeof(type), *expected, ORDER_OF(order));  \
    const int succeeded = __atomic_compare_exchange_n(address, expected, desired, 0,           \
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
    heddle_atomic_end(succeeded ? desired : *expected, succeeded ? -1 : 1 + failure_order);    \
    return succeeded;                                                                          \
  }                                                                                            \
  HEDDLE_HOOK int __tsan_atomic##bits##_compare_exchange_strong(                               \
      volatile type* address, type* expected, type desired, int order, int failure_order) {    \
    return CompareExchange##bits(HEDDLE_CALLER, address, expected, desired, order,             \
                                 ORDER_OF(failure_order));                                     \
  }                                                                                            \
  HEDDLE_HOOK int __tsan_atomic##bits##_compare_exchange_weak(                                 \
      volatile type* address, type* expected, type desired, int order, int failure_order) {    \
    return CompareExchange##bits(HEDDLE_CALLER, address, expected, desired, order,             \
                                 ORDER_OF(failure_order));                                     \
  }                                                                                            \
  HEDDLE_HOOK type __tsan_atomic##bits##_compare_exchange_val(                                 \
      volatile type* address, type expected, type desired, int order, int failure_order) {     \
    CompareExchange##bits(HEDDLE_CALLER, address, &expected, desired, order,                   \
                          ORDER_OF(failure_order));                                            \
    return expected;                                                                           \
  }

#define DEFINE_WIDTH(bits, type)                                            \
  DEFINE_LOAD_STORE(bits, type)                                             \
  DEFINE_FETCH(bits, type, exchange, __atomic_exchange_n, value)            \
  DEFINE_FETCH(bits, type, fetch_add, __atomic_fetch_add, old + value)      \
  DEFINE_FETCH(bits, type, fetch_sub, __atomic_fetch_sub, old - value)      \
  DEFINE_FETCH(bits, type, fetch_and, __atomic_fetch_and, old& value)       \
  DEFINE_FETCH(bits, type, fetch_or, __atomic_fetch_or, old | value)        \
  DEFINE_FETCH(bits, type, fetch_xor, __atomic_fetch_xor, old ^ value)      \
  DEFINE_FETCH(bits, type, fetch_nand, __atomic_fetch_nand, ~(old & value)) \
  DEFINE_COMPARE_EXCHANGE(bits, type)

DEFINE_WIDTH(8, uint8_t)
DEFINE_WIDTH(16, uint16_t)
DEFINE_WIDTH(32, uint32_t)
DEFINE_WIDTH(64, uint64_t)

HEDDLE_HOOK void __tsan_atomic_thread_fence(int order) {
  if (heddle_is_active()) heddle_fence(HEDDLE_CALLER, ORDER_OF(order));
  /* On x86 only a sequentially consistent fence is an instruction. */
  if (ORDER_OF(order) == __ATOMIC_SEQ_CST) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  } else {
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
  }
}

/* Orders a thread against its own signal handlers: the call itself is all the compiler barrier
 * needed. */
HEDDLE_HOOK void __tsan_atomic_signal_fence(int order) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
