/* How the hooks find the engine, and the hooks around a function. */
#include "abi_hash_value.h"
#include "hot.h"

static struct HeddleHot dormant;
struct HeddleHot* heddle_hot = &dormant;

static void Attach(void) {
  struct HeddleHot* const hot = heddle_attach(HEDDLE_ABI_HASH);
  if (hot != 0) heddle_hot = hot;
}

/* Every instrumented translation unit calls this from a constructor that precedes the program's
 * own. */
HEDDLE_HOOK void __tsan_init(void) { Attach(); }

/* For a program whose only instrumented code sits in libraries loaded later. */
__attribute__((constructor)) static void AttachAtStart(void) { Attach(); }

HEDDLE_HOOK void __tsan_func_entry(void* caller_pc) {
  struct HeddleHot* const hot = heddle_hot;
  if (HEDDLE_LIKELY(!hot->active)) return;
  hot->calls[hot->call_depth++ & ((UINT64_C(1) << HEDDLE_CALL_BITS) - 1)] =
      (uint64_t)(uintptr_t)caller_pc;
}

HEDDLE_HOOK void __tsan_func_exit(void) {
  struct HeddleHot* const hot = heddle_hot;
  if (HEDDLE_LIKELY(!hot->active)) return;
  --hot->call_depth;
}

/* Code that the compiler marks as outside the program's own logic. */
HEDDLE_HOOK void __tsan_ignore_thread_begin(void) {
  if (!heddle_is_active()) return;
  const uint64_t pc = HEDDLE_CALLER;
  heddle_annotate(pc, HEDDLE_ANNOTATE_IGNORE_READS_BEGIN, 0, 0);
  heddle_annotate(pc, HEDDLE_ANNOTATE_IGNORE_WRITES_BEGIN, 0, 0);
}

HEDDLE_HOOK void __tsan_ignore_thread_end(void) {
  if (!heddle_is_active()) return;
  const uint64_t pc = HEDDLE_CALLER;
  heddle_annotate(pc, HEDDLE_ANNOTATE_IGNORE_WRITES_END, 0, 0);
  heddle_annotate(pc, HEDDLE_ANNOTATE_IGNORE_READS_END, 0, 0);
}
