/* memcpy and its relatives, as the program's own objects call them.
 *
 * What is touched is reported first, because a schedule may switch there, and done afterwards in
 * one piece, with what it read when that was reported (kept.h).
 */
#include <stddef.h>

#include "hot.h"
#include "kept.h"
#include "libc_calls.h"

#define DECLARE_REAL(result, name, parameters, arguments) result heddle_real_##name parameters;
HEDDLE_LIBC_MEMORY_CALLS(DECLARE_REAL)

/* What to copy. */
HEDDLE_INLINE const void* Copies(uint64_t pc, void* to, const void* from, size_t size) {
  heddle_range(pc, from, size, 0);
  const void* const kept = heddle_kept(pc, from, size);
  heddle_range(pc, to, size, 1);
  return kept;
}

/* What to compare with `b`. */
HEDDLE_INLINE const void* Compares(uint64_t pc, const void* a, const void* b, size_t size) {
  heddle_range(pc, a, size, 0);
  const void* const kept = heddle_kept(pc, a, size);
  heddle_range(pc, b, size, 0);
  return kept;
}

/* `report` is what the call does to memory; the call itself follows from the list. */
#define DEFINE_AS(qualifier, prefix, result, name, parameters, arguments, report) \
  qualifier result prefix##name parameters {                                      \
    if (heddle_is_active()) {                                                     \
      const uint64_t pc = HEDDLE_CALLER;                                          \
      report;                                                                     \
    }                                                                             \
    return heddle_real_##name arguments;                                          \
  }
#define DEFINE(result, name, parameters, arguments, report) \
  DEFINE_AS(HEDDLE_WEAK_HOOK, __wrap_, result, name, parameters, arguments, report)

DEFINE(void*, memcpy, (void* to, const void* from, size_t size), (to, from, size),
       from = Copies(pc, to, from, size))
DEFINE(void*, memmove, (void* to, const void* from, size_t size), (to, from, size),
       from = Copies(pc, to, from, size))
DEFINE(void*, mempcpy, (void* to, const void* from, size_t size), (to, from, size),
       from = Copies(pc, to, from, size))
DEFINE(void*, memset, (void* to, int byte, size_t size), (to, byte, size),
       heddle_range(pc, to, size, 1))
DEFINE(void, bzero, (void* to, size_t size), (to, size), heddle_range(pc, to, size, 1))
DEFINE(int, memcmp, (const void* a, const void* b, size_t size), (a, b, size),
       a = Compares(pc, a, b, size))
DEFINE(int, bcmp, (const void* a, const void* b, size_t size), (a, b, size),
       a = Compares(pc, a, b, size))

DEFINE(void*, __memcpy_chk, (void* to, const void* from, size_t size, size_t room),
       (to, from, size, room), from = Copies(pc, to, from, size))
DEFINE(void*, __memmove_chk, (void* to, const void* from, size_t size, size_t room),
       (to, from, size, room), from = Copies(pc, to, from, size))
DEFINE(void*, __mempcpy_chk, (void* to, const void* from, size_t size, size_t room),
       (to, from, size, room), from = Copies(pc, to, from, size))
DEFINE(void*, __memset_chk, (void* to, int byte, size_t size, size_t room), (to, byte, size, room),
       heddle_range(pc, to, size, 1))

/* memchr looks no further than the byte it finds; the buffer may be shorter than `size`. */
HEDDLE_INLINE size_t LookedAt(const void* from, int byte, size_t size) {
  const void* const found = heddle_real_memchr(from, byte, size);
  return found == 0 ? size : (size_t)((const char*)found - (const char*)from) + 1;
}

DEFINE(void*, memchr, (const void* from, int byte, size_t size), (from, byte, size),
       heddle_range(pc, from, LookedAt(from, byte, size), 0))

/* clang 19 calls these where clang 14 calls memcpy, memmove and memset. */
DEFINE_AS(HEDDLE_HOOK, __tsan_, void*, memcpy, (void* to, const void* from, size_t size),
          (to, from, size), from = Copies(pc, to, from, size))
DEFINE_AS(HEDDLE_HOOK, __tsan_, void*, memmove, (void* to, const void* from, size_t size),
          (to, from, size), from = Copies(pc, to, from, size))
DEFINE_AS(HEDDLE_HOOK, __tsan_, void*, memset, (void* to, int byte, size_t size), (to, byte, size),
          heddle_range(pc, to, size, 1))
