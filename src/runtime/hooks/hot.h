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

HEDDLE_INLINE uint64_t* heddle_cell(const struct HeddleHot* hot, uint64_t address) {
  return (uint64_t*)(hot->shadow + (address & HEDDLE_SHADOW_MASK & ~(HEDDLE_GRANULE - 1)));
}

/* Whether the granule belongs to the running thread. */
HEDDLE_INLINE int heddle_owns(const struct HeddleHot* hot, uint64_t cell, int is_write) {
  return is_write ? (uint32_t)cell == hot->owner_write
                  : (((uint32_t)cell ^ hot->owner_read) & ~HEDDLE_CELL_WRITTEN) == 0;
}

/* What the running thread's creator did before it was there. */
HEDDLE_INLINE int heddle_is_inherited(const struct HeddleHot* hot, uint64_t cell) {
  return ((uint32_t)cell & HEDDLE_CELL_THREAD) == hot->creator &&
         ((uint32_t)cell & HEDDLE_CELL_EPOCH) < hot->created;
}

/* Whether a read of data that several threads read needs no attention: nobody wrote it, or the
 * running thread did, or its creator did before creating it; or nobody else reads it. The first
 * reader that is no scheduling point does: it is to be noted. */
HEDDLE_INLINE int heddle_may_read(const struct HeddleHot* hot, uint64_t cell) {
  if (((cell >> HEDDLE_CELL_READER) & 0xffff) == 0) return 0;
  const uint32_t difference = (uint32_t)cell ^ hot->owner_read;
  const uint32_t state = difference & (HEDDLE_CELL_STATE | HEDDLE_CELL_GENERATION);
  const int is_own = (difference & HEDDLE_CELL_THREAD) == 0;
  if (state != HEDDLE_CELL_MANY_READ) return state == HEDDLE_CELL_ONE_READS && is_own;
  return is_own || ((uint32_t)cell & HEDDLE_CELL_THREAD) == 0 || heddle_is_inherited(hot, cell);
}

/* Another thread's stack may be in use no longer: the engine looks. */
HEDDLE_INLINE int heddle_may_be_dead(const struct HeddleHot* hot, uint64_t address) {
  if (HEDDLE_LIKELY(address >> HEDDLE_HEAP_AT == HEDDLE_HEAP)) return 0;
  if (HEDDLE_LIKELY(address + hot->minus_own_stack < hot->own_stack_size)) return 0;
  return address - hot->stacks < hot->stacks_size ||
         address - hot->main_stack < hot->main_stack_size;
}

/* Whether the address is on the running thread's stack, below all that is in use there: in a frame
 * that was left. A hook has no frame of its own, and what it was called from keeps nothing below
 * its stack pointer. */
HEDDLE_INLINE int heddle_is_below(const struct HeddleHot* hot, uint64_t address) {
  uint64_t in_use = hot->minus_own_stack; /* from there on; far away on a stack of the program's */
  const uint64_t at = address + in_use;
  __asm__("add %%rsp, %0" : "+r"(in_use));
  return !HEDDLE_LIKELY(at >= in_use) && in_use < hot->own_stack_size;
}

/* Whether the running thread may make the granule its own, and if so does: exactly what the engine
 * would do (Sharing::Touch), for a site that is known and memory that is in use. */
HEDDLE_INLINE int heddle_claim_cell(const struct HeddleHot* hot, uint64_t slot, uint64_t* cell,
                                    int is_write) {
  const uint64_t before = *cell;
  const uint32_t mine = is_write ? hot->owner_write : hot->owner_read;
  const uint32_t difference = (uint32_t)before ^ mine;
  if (before == 0) return 0;
  const int at = is_write ? HEDDLE_CELL_WRITER : HEDDLE_CELL_READER;
  uint64_t site = (uint64_t)(hot->site_numbers[slot] & hot->noted_sites) << at;
  uint64_t after = mine; /* not touched in this generation */
  if ((difference & HEDDLE_CELL_GENERATION) == 0) {
    if ((difference & (HEDDLE_CELL_THREAD | HEDDLE_CELL_STATE)) == 0) {
      after |= before & ~(uint64_t)HEDDLE_CELL_EPOCH; /* its own already */
    } else if (!is_write &&
               (before & (HEDDLE_CELL_STATE | HEDDLE_CELL_WRITTEN)) == HEDDLE_CELL_WRITTEN &&
               heddle_is_inherited(hot, before)) {
      /* Written by its creator, and nobody else reads it. */
      after = before ^ ((difference & HEDDLE_CELL_THREAD) | HEDDLE_CELL_ONE_READS);
    } else {
      return 0;
    }
    if (((after >> at) & 0xffff) != 0) site = 0; /* the first one stays */
  }
  *cell = after | site;
  return 1;
}

/* The same for some granules, where the engine need not look; false as soon as one may not be. */
HEDDLE_INLINE int heddle_claim(const struct HeddleHot* hot, uint64_t slot, uint64_t address,
                               uint64_t granules, int is_write) {
  if ((is_write && hot->owner_write == ~UINT32_C(0)) || heddle_may_be_dead(hot, address)) return 0;
  uint64_t* const cells = heddle_cell(hot, address);
  for (uint64_t i = 0; i < granules; ++i) {
    if (!heddle_claim_cell(hot, slot, cells + i, is_write)) return 0;
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
  if (HEDDLE_LIKELY(hot->sites[slot] == pc && !heddle_is_below(hot, address))) {
    const uint64_t* const cells = heddle_cell(hot, address);
    if (HEDDLE_LIKELY(heddle_owns(hot, cells[0], is_write) &&
                      (granules == 1 || heddle_owns(hot, cells[1], is_write)))) {
      return;
    }
    if (heddle_claim(hot, slot, address, granules, is_write)) return;
    if (!is_write && granules == 1 && heddle_may_read(hot, cells[0])) return;
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
  if (granules <= HEDDLE_SHORT_RANGE && hot->sites[slot] == pc && !heddle_is_below(hot, address)) {
    const uint64_t* const cells = heddle_cell(hot, address);
    uint64_t own = 0;
    while (own < granules && heddle_owns(hot, cells[own], is_write)) ++own;
    if (own == granules || heddle_claim(hot, slot, address, granules, is_write)) return;
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
