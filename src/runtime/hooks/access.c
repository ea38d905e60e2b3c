/* Plain accesses of 1 to 16 bytes: one hook per size, direction and flavour the compilers know.
 *
 * The flavours differ only for a detector that wants to treat volatile or unaligned accesses in its
 * own way; a schedule does not care.
 */
#include "hot.h"

#define DEFINE_READ_AND_WRITE(flavour, size)                      \
  HEDDLE_HOOK void __tsan_##flavour##read##size(void* address) {  \
    heddle_plain(HEDDLE_CALLER, address, size, 0);                \
  }                                                               \
  HEDDLE_HOOK void __tsan_##flavour##write##size(void* address) { \
    heddle_plain(HEDDLE_CALLER, address, size, 1);                \
  }

/* One hook for `x += 1`: another thread may come between the two halves. */
#define DEFINE_COMPOUND(flavour, size)                                 \
  HEDDLE_HOOK void __tsan_##flavour##read_write##size(void* address) { \
    const uint64_t pc = HEDDLE_CALLER;                                 \
    heddle_plain(pc, address, size, 0);                                \
    heddle_plain(pc, address, size, 1);                                \
  }

#define DEFINE_WITH_PC(size)                                          \
  HEDDLE_HOOK void __tsan_read##size##_pc(void* address, void* pc) {  \
    heddle_plain((uint64_t)(uintptr_t)pc, address, size, 0);          \
  }                                                                   \
  HEDDLE_HOOK void __tsan_write##size##_pc(void* address, void* pc) { \
    heddle_plain((uint64_t)(uintptr_t)pc, address, size, 1);          \
  }

#define DEFINE_SIZE(size)                          \
  DEFINE_READ_AND_WRITE(, size)                    \
  DEFINE_READ_AND_WRITE(unaligned_, size)          \
  DEFINE_READ_AND_WRITE(volatile_, size)           \
  DEFINE_READ_AND_WRITE(unaligned_volatile_, size) \
  DEFINE_COMPOUND(, size)                          \
  DEFINE_COMPOUND(unaligned_, size)                \
  DEFINE_WITH_PC(size)

DEFINE_SIZE(1)
DEFINE_SIZE(2)
DEFINE_SIZE(4)
DEFINE_SIZE(8)
DEFINE_SIZE(16)

/* A constructor or destructor sets the vptr of the object. Storing the value that is already there,
 * as the destructor of a final class does, changes nothing and is no event. */
HEDDLE_HOOK void __tsan_vptr_update(void** address, void* value) {
  if (!heddle_is_active() || *address == value) return;
  heddle_plain(HEDDLE_CALLER, address, sizeof(void*), 1);
}

HEDDLE_HOOK void __tsan_vptr_read(void** address) {
  heddle_plain(HEDDLE_CALLER, address, sizeof(void*), 0);
}
