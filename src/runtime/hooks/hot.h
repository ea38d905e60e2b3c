/* What all hooks share: the pointer to the engine's Hot block and the fast path of a plain access.
 *
 * Private to this folder. Nothing here may call a library function by its usual name: the objects
 * are linked into the tested program with --wrap, so a memcpy of ours would be reported as one of
 * the program's.
 */
#ifndef HEDDLE_RUNTIME_HOOKS_HOT_H_
#define HEDDLE_RUNTIME_HOOKS_HOT_H_

#include <stdint.h>

#include "abi.h"

/* A hook must be reachable from the program's shared libraries too; the rest of the archive is
 * hidden by the command line it is compiled with. */
#define HEDDLE_HOOK __attribute__((visibility("default")))
/* For names that a program may legitimately define itself: its definition wins. */
#define HEDDLE_WEAK_HOOK __attribute__((visibility("default"), weak))
#define HEDDLE_INLINE static inline __attribute__((always_inline))

#define HEDDLE_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define HEDDLE_CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

#define HEDDLE_GRANULE UINT64_C(8)

/* A dormant block until attached, hence never null. */
extern __attribute__((visibility("hidden"))) struct HeddleHot* heddle_hot;

HEDDLE_INLINE int heddle_is_active(void) { return !HEDDLE_LIKELY(!heddle_hot->active); }

/* Whether `granules` cells from the one of `address` all belong to the running thread. */
HEDDLE_INLINE int heddle_owns(const struct HeddleHot* hot, uint64_t address, uint64_t granules,
                              int is_write) {
  const uint64_t owner = is_write ? hot->owner_write : hot->owner_read;
  const uint64_t mask = is_write ? hot->owner_mask_write : hot->owner_mask_read;
  const uint64_t* const cells =
      (const uint64_t*)(hot->shadow + (address & HEDDLE_SHADOW_MASK & ~(HEDDLE_GRANULE - 1)));
  uint64_t difference = 0;
  for (uint64_t i = 0; i < granules; ++i) difference |= (cells[i] ^ owner) & mask;
  return difference == 0;
}

/* Whether a read of data that several threads read needs no attention. */
HEDDLE_INLINE int heddle_may_read(const struct HeddleHot* hot, uint64_t address) {
  const uint64_t cell =
      *(const uint64_t*)(hot->shadow + (address & HEDDLE_SHADOW_MASK & ~(HEDDLE_GRANULE - 1)));
  if ((cell & hot->many_readers_mask) != hot->many_readers) {
    return (cell & (hot->many_readers_mask | hot->writer_mask)) == hot->only_reader;
  }
  const uint64_t writer = cell & hot->writer_mask;
  return writer == 0 || writer == hot->running ||
         (writer == hot->creator && (cell & hot->epoch_mask) < hot->created);
}

/* Whether the running thread may make the granule its own, and if so does: exactly what the engine
 * would do (Sharing::Touch), for a site that is known and memory that is in use. Another thread's
 * stack may be in use no longer: the engine looks. */
HEDDLE_INLINE int heddle_claim(const struct HeddleHot* hot, uint64_t slot, uint64_t address,
                               int is_write) {
  uint64_t* const cell =
      (uint64_t*)(hot->shadow + (address & HEDDLE_SHADOW_MASK & ~(HEDDLE_GRANULE - 1)));
  const uint64_t before = *cell;
  const uint64_t mine = is_write ? hot->owner_write : hot->owner_read;
  if (before == 0 || (is_write && mine == ~UINT64_C(0))) return 0;
  if ((address - hot->stacks < hot->stacks_size ||
       address - hot->main_stack < hot->main_stack_size) &&
      address - hot->own_stack >= hot->own_stack_size) {
    return 0;
  }
  const int at = is_write ? HEDDLE_CELL_WRITER : HEDDLE_CELL_READER;
  uint64_t site = (hot->site_numbers[slot] & hot->noted_sites) << at;
  uint64_t after = mine; /* not touched in this generation */
  if (((before ^ mine) & hot->generation_mask) == 0) {
    if (((before ^ mine) & hot->owner_mask) == 0) {
      after |= before & ~hot->epoch_mask; /* its own already */
    } else if (!is_write && ((before ^ hot->creators_own) & hot->creators_mask) == 0 &&
               (before & hot->epoch_mask) < hot->created) {
      after = before ^ hot->inherited; /* written by its creator, before it was there */
    } else {
      return 0;
    }
    if (((after >> at) & 0xffff) != 0) site = 0; /* the first one stays */
  }
  *cell = after | site;
  return 1;
}

/* The same for all of several granules; false as soon as one may not be. */
HEDDLE_INLINE int heddle_claims(const struct HeddleHot* hot, uint64_t slot, uint64_t address,
                                uint64_t granules, int is_write) {
  for (uint64_t i = 0; i < granules; ++i) {
    if (!heddle_claim(hot, slot, address + i * HEDDLE_GRANULE, is_write)) return 0;
  }
  return 1;
}

/* A plain access of 1, 2, 4, 8 or 16 bytes (a constant, so that all of this folds). */
HEDDLE_INLINE void heddle_plain(uint64_t pc, const volatile void* pointer, uint64_t size,
                                int is_write) {
  const struct HeddleHot* const hot = heddle_hot;
  if (HEDDLE_LIKELY(!(hot->active & HEDDLE_SEES_ACCESSES))) return;
  const uint64_t address = (uint64_t)(uintptr_t)pointer;
  const uint64_t granules = size == 16 ? 2 : 1;
  if (size != 1 && (address & (HEDDLE_GRANULE - 1)) + size > granules * HEDDLE_GRANULE) {
    heddle_access_range(pc, (const void*)pointer, size, is_write);
    return;
  }
  const uint64_t slot = heddle_site_slot(pc);
  if (HEDDLE_LIKELY(hot->sites[slot] == pc)) {
    if (HEDDLE_LIKELY(heddle_owns(hot, address, granules, is_write))) return;
    if (heddle_claims(hot, slot, address, granules, is_write)) return;
    if (!is_write && granules == 1 && heddle_may_read(hot, address)) return;
  }
  heddle_access(pc, (const void*)pointer, size, is_write);
}

/* An access of any size. Up to this many granules it is worth looking before calling the engine. */
#define HEDDLE_SHORT_RANGE UINT64_C(16)

HEDDLE_INLINE void heddle_range(uint64_t pc, const volatile void* pointer, uint64_t size,
                                int is_write) {
  const struct HeddleHot* const hot = heddle_hot;
  if (HEDDLE_LIKELY(!(hot->active & HEDDLE_SEES_ACCESSES)) || size == 0) return;
  const uint64_t address = (uint64_t)(uintptr_t)pointer;
  const uint64_t offset = address & (HEDDLE_GRANULE - 1);
  const uint64_t granules = (offset + size + HEDDLE_GRANULE - 1) / HEDDLE_GRANULE;
  const uint64_t slot = heddle_site_slot(pc);
  if (granules <= HEDDLE_SHORT_RANGE && hot->sites[slot] == pc &&
      (heddle_owns(hot, address, granules, is_write) ||
       heddle_claims(hot, slot, address, granules, is_write))) {
    return;
  }
  /* gcc reports an unaligned access as a range: give the engine the simpler event when it is one.
   */
  if (granules == 1) {
    heddle_access(pc, (const void*)pointer, size, is_write);
  } else {
    heddle_access_range(pc, (const void*)pointer, size, is_write);
  }
}

#endif /* HEDDLE_RUNTIME_HOOKS_HOT_H_ */
