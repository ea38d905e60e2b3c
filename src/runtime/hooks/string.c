/* strlen and its relatives, as the program's own objects call them.
 *
 * How far such a function reads depends on what it finds, so the extent is measured, reported
 * (other threads may run there) and then the function is called for its result: what it finds at
 * that moment counts. Of what it reads before another access that is kept (kept.h).
 */
#include <stddef.h>

#include "hot.h"
#include "kept.h"
#include "libc_calls.h"

#define DECLARE_REAL(result, name, parameters, arguments) result heddle_real_##name parameters;
HEDDLE_LIBC_STRING_CALLS(DECLARE_REAL)

#define DEFINE(result, name, parameters, arguments, report) \
  HEDDLE_WEAK_HOOK result __wrap_##name parameters {        \
    if (heddle_is_active()) {                               \
      const uint64_t pc = HEDDLE_CALLER;                    \
      report;                                               \
    }                                                       \
    return heddle_real_##name arguments;                    \
  }

/* Bytes of a string that ends at its zero or after `size` bytes, with the zero when it is reached.
 */
HEDDLE_INLINE size_t Extent(const char* from, size_t size) {
  const size_t length = heddle_real_strnlen(from, size);
  return length < size ? length + 1 : size;
}

HEDDLE_INLINE void Reads(uint64_t pc, const char* from, size_t at_most) {
  heddle_range(pc, from, Extent(from, at_most), 0);
}

/* ... and what it read. */
HEDDLE_INLINE const char* ReadsAndKeeps(uint64_t pc, const char* from, size_t at_most) {
  Reads(pc, from, at_most);
  return heddle_kept(pc, from, Extent(from, at_most));
}

/* What to copy. */
HEDDLE_INLINE const char* Copies(uint64_t pc, char* to, const char* from) {
  const char* const kept = ReadsAndKeeps(pc, from, SIZE_MAX);
  heddle_range(pc, to, Extent(kept, SIZE_MAX), 1);
  return kept;
}

/* strncpy pads what it copies to `size` bytes. */
HEDDLE_INLINE const char* CopiesPadded(uint64_t pc, char* to, const char* from, size_t size) {
  const char* const kept = ReadsAndKeeps(pc, from, size);
  heddle_range(pc, to, size, 1);
  return kept;
}

HEDDLE_INLINE const char* Appends(uint64_t pc, char* to, const char* from, size_t at_most) {
  const size_t length = heddle_real_strlen(to);
  heddle_range(pc, to, length + 1, 0);
  const char* const kept = ReadsAndKeeps(pc, from, at_most);
  heddle_range(pc, to + length, heddle_real_strnlen(kept, at_most) + 1, 1);
  return kept;
}

/* Up to the first difference or the end. What to compare with `b`. */
static const char* Compares(uint64_t pc, const char* a, const char* b, size_t at_most) {
  size_t size = 0;
  while (size < at_most) {
    const char c = a[size];
    const char d = b[size];
    ++size;
    if (c != d || c == 0) break;
  }
  heddle_range(pc, a, size, 0);
  const char* const kept = heddle_kept(pc, a, Extent(a, at_most));
  heddle_range(pc, b, size, 0);
  return kept;
}

HEDDLE_INLINE void Searches(uint64_t pc, const char* from, int byte) {
  const char* const found = heddle_real_strchr(from, byte);
  const size_t size = found == 0 ? Extent(from, SIZE_MAX) : (size_t)(found - from) + 1;
  heddle_range(pc, from, size, 0);
}

DEFINE(size_t, strlen, (const char* from), (from), Reads(pc, from, SIZE_MAX))
DEFINE(size_t, strnlen, (const char* from, size_t size), (from, size), Reads(pc, from, size))
DEFINE(char*, strcpy, (char* to, const char* from), (to, from), from = Copies(pc, to, from))
DEFINE(char*, stpcpy, (char* to, const char* from), (to, from), from = Copies(pc, to, from))
DEFINE(char*, strncpy, (char* to, const char* from, size_t size), (to, from, size),
       from = CopiesPadded(pc, to, from, size))
DEFINE(char*, strcat, (char* to, const char* from), (to, from),
       from = Appends(pc, to, from, SIZE_MAX))
DEFINE(char*, strncat, (char* to, const char* from, size_t size), (to, from, size),
       from = Appends(pc, to, from, size))
DEFINE(int, strcmp, (const char* a, const char* b), (a, b), a = Compares(pc, a, b, SIZE_MAX))
DEFINE(int, strncmp, (const char* a, const char* b, size_t size), (a, b, size),
       a = Compares(pc, a, b, size))
DEFINE(char*, strchr, (const char* from, int byte), (from, byte), Searches(pc, from, byte))
DEFINE(char*, strrchr, (const char* from, int byte), (from, byte), Reads(pc, from, SIZE_MAX))
DEFINE(char*, strdup, (const char* from), (from), Reads(pc, from, SIZE_MAX))
DEFINE(char*, strndup, (const char* from, size_t size), (from, size), Reads(pc, from, size))

DEFINE(char*, __strcpy_chk, (char* to, const char* from, size_t room), (to, from, room),
       from = Copies(pc, to, from))
DEFINE(char*, __stpcpy_chk, (char* to, const char* from, size_t room), (to, from, room),
       from = Copies(pc, to, from))
DEFINE(char*, __strncpy_chk, (char* to, const char* from, size_t size, size_t room),
       (to, from, size, room), from = CopiesPadded(pc, to, from, size))
DEFINE(char*, __strcat_chk, (char* to, const char* from, size_t room), (to, from, room),
       from = Appends(pc, to, from, SIZE_MAX))
DEFINE(char*, __strncat_chk, (char* to, const char* from, size_t size, size_t room),
       (to, from, size, room), from = Appends(pc, to, from, size))
