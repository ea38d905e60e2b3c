/* Between the hooks (a static archive in the tested program, no C++ library) and the engine
 * (libheddle_engine.so).
 *
 * The hooks hold a pointer to the engine's Hot block; it is a dormant block until the engine
 * answers heddle_attach(), so a program started without heddle pays one load and one branch per
 * hook.
 */
#ifndef HEDDLE_RUNTIME_HOOKS_ABI_H_
#define HEDDLE_RUNTIME_HOOKS_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A shadow cell per 8-byte granule says who has touched it; see runtime/memory/sharing.h for its
 * bits. The fast path needs only: the granule is the running thread's own, in this epoch. */
#define HEDDLE_SHADOW_MASK ((UINT64_C(1) << 43) - 1)

/* The lower half of a cell says who, by these masks. */
#define HEDDLE_CELL_THREAD UINT32_C(0x1fff)
#define HEDDLE_CELL_EPOCH (UINT32_C(0x3ff) << 13)
#define HEDDLE_CELL_WRITTEN (UINT32_C(1) << 23)
#define HEDDLE_CELL_STATE (UINT32_C(3) << 24)
#define HEDDLE_CELL_MANY_READ (UINT32_C(1) << 24) /* two states */
#define HEDDLE_CELL_ONE_READS (UINT32_C(3) << 24)
#define HEDDLE_CELL_GENERATION (UINT32_C(0x3f) << 26)
#define HEDDLE_CELL_READER 32 /* where in a cell its first reader's and writer's sites are */
#define HEDDLE_CELL_WRITER 48

/* The program's heap is all of a terabyte, this one. */
#define HEDDLE_HEAP_AT 40
#define HEDDLE_HEAP UINT64_C(0x21)

#define HEDDLE_SITE_BITS 12 /* entries of the site table: 1 << 12 */
#define HEDDLE_CALL_BITS 7  /* entries of a thread's ring of call sites: 1 << 7 */

#define HEDDLE_ACTIVE 1u
#define HEDDLE_SEES_ACCESSES 2u /* plain ones too: not with --points=sync */

struct HeddleHot {
  uint32_t active;      /* 0: hooks return at once */
  uint32_t when_active; /* what it is while the program itself runs */
  /* Lower halves of cells. One that, but for HEDDLE_CELL_WRITTEN, equals owner_read needs no
   * attention when it is read; one that equals owner_write, when it is written. */
  uint32_t owner_read;
  uint32_t owner_write; /* all ones: the engine wants to see every write */
  /* Of the running thread: its creator, as it is called in cells, and an epoch: what the creator
   * did below that is before the thread. */
  uint32_t creator;
  uint32_t created;
  uint32_t noted_sites; /* of a granule that becomes its own, under this mask; none while there is
                           one thread */
  /* Whether it is on a stack, and whether on the running thread's own. */
  uint64_t stacks;
  uint64_t stacks_size;
  uint64_t main_stack;
  uint64_t main_stack_size;
  uint64_t minus_own_stack; /* added to an address: how far it lies behind the stack's begin */
  uint64_t own_stack_size;
  uint8_t* shadow; /* cell of address a: shadow + (a & HEDDLE_SHADOW_MASK & ~7) */
  uint64_t*
      sites; /* direct mapped by pc: the pc of a site that is known and not a scheduling point */
  uint16_t* site_numbers; /* of those */
  uint64_t* calls;        /* ring of call sites of the running thread */
  uint64_t call_depth;    /* of the running thread */
};

/* Sites that miss here take the slow path, which fills the entry. */
static inline uint64_t heddle_site_slot(uint64_t pc) {
  return (pc ^ (pc >> HEDDLE_SITE_BITS)) & ((UINT64_C(1) << HEDDLE_SITE_BITS) - 1);
}

/* Exported by the engine. `abi` is a hash of this file and hot.h; null: it is not the engine's. */
struct HeddleHot* heddle_attach(uint64_t abi);

/* A plain access that the fast path could not wave through. pc is the hook's return address. */
void heddle_access(uint64_t pc, const void* address, uint64_t size, int is_write);
/* A range of any size (memcpy, memset, unaligned accesses that straddle granules). */
void heddle_access_range(uint64_t pc, const void* address, uint64_t size, int is_write);
/* Room for what the running thread has read, until it asks again; null: nobody else runs meanwhile,
 * or it is more than is looked at. */
void* heddle_room(uint64_t size);

/* An atomic load or store of up to 8 bytes, carried out by the engine: the hook has nothing more to
 * do behind it, so that it need not be returned to. order: the C++ memory order as written. */
uint64_t heddle_atomic_load(uint64_t pc, const void* address, uint32_t size, int order);
void heddle_atomic_store(uint64_t pc, void* address, uint32_t size, uint64_t value, int order);

/* Before and after another atomic operation, which the hook itself carries out in between,
 * sequentially consistent. Nothing else runs between begin and end. `failed` is for a
 * compare-exchange: 1 + the order of that case if it lost, -1 if it won; 0 otherwise. `expected`:
 * of 16 bytes the first 8. */
enum { HEDDLE_LOAD = 0, HEDDLE_STORE = 1, HEDDLE_READ_MODIFY_WRITE = 2 };
void heddle_atomic_begin(uint64_t pc, const void* address, uint32_t size, int kind, int order);
void heddle_compare_begin(uint64_t pc, const void* address, uint32_t size, uint64_t expected,
                          int order);
void heddle_atomic_end(uint64_t value, int failed);
void heddle_fence(uint64_t pc, int order);

/* Annotations (tsan_interface.h, AnnotateHappensBefore...). */
enum HeddleAnnotation {
  HEDDLE_ANNOTATE_ACQUIRE,
  HEDDLE_ANNOTATE_RELEASE,
  HEDDLE_ANNOTATE_LOCK_CREATE,
  HEDDLE_ANNOTATE_LOCK_DESTROY,
  HEDDLE_ANNOTATE_LOCK_PRE,
  HEDDLE_ANNOTATE_LOCK_POST,
  HEDDLE_ANNOTATE_UNLOCK_PRE,
  HEDDLE_ANNOTATE_UNLOCK_POST,
  HEDDLE_ANNOTATE_SIGNAL_PRE,
  HEDDLE_ANNOTATE_SIGNAL_POST,
  HEDDLE_ANNOTATE_DIVERT_PRE,
  HEDDLE_ANNOTATE_DIVERT_POST,
  HEDDLE_ANNOTATE_BENIGN_RACE,
  HEDDLE_ANNOTATE_IGNORE_READS_BEGIN,
  HEDDLE_ANNOTATE_IGNORE_READS_END,
  HEDDLE_ANNOTATE_IGNORE_WRITES_BEGIN,
  HEDDLE_ANNOTATE_IGNORE_WRITES_END,
  HEDDLE_ANNOTATE_IGNORE_SYNC_BEGIN,
  HEDDLE_ANNOTATE_IGNORE_SYNC_END,
  HEDDLE_ANNOTATE_NEW_MEMORY,
  HEDDLE_ANNOTATE_THREAD_NAME
};
void heddle_annotate(uint64_t pc, int annotation, const void* address, uint64_t argument);

/* User-level stacks (__tsan_create_fiber ...): the engine keeps one call ring per fiber. */
void* heddle_fiber_create(unsigned flags);
void heddle_fiber_destroy(void* fiber);
void heddle_fiber_switch(void* fiber, unsigned flags);
void* heddle_fiber_current(void);

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_RUNTIME_HOOKS_ABI_H_ */
