/* Accesses of any size that the compiler itself reports: gcc's unaligned accesses, structs,
 * vectors. */
#include "hot.h"

HEDDLE_HOOK void __tsan_read_range(void* address, unsigned long size) {
  heddle_range(HEDDLE_CALLER, address, size, 0);
}

HEDDLE_HOOK void __tsan_write_range(void* address, unsigned long size) {
  heddle_range(HEDDLE_CALLER, address, size, 1);
}

HEDDLE_HOOK void __tsan_read_range_pc(void* address, unsigned long size, void* pc) {
  heddle_range((uint64_t)(uintptr_t)pc, address, size, 0);
}

HEDDLE_HOOK void __tsan_write_range_pc(void* address, unsigned long size, void* pc) {
  heddle_range((uint64_t)(uintptr_t)pc, address, size, 1);
}
