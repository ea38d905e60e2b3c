/* <sanitizer/tsan_interface.h>: what code that knows ThreadSanitizer calls by hand. */
#include "hot.h"

#define ANNOTATE(annotation, address, argument)                                            \
  do {                                                                                     \
    if (heddle_is_active()) heddle_annotate(HEDDLE_CALLER, annotation, address, argument); \
  } while (0)

HEDDLE_HOOK void __tsan_acquire(void* address) { ANNOTATE(HEDDLE_ANNOTATE_ACQUIRE, address, 0); }
HEDDLE_HOOK void __tsan_release(void* address) { ANNOTATE(HEDDLE_ANNOTATE_RELEASE, address, 0); }

HEDDLE_HOOK void __tsan_mutex_create(void* mutex, unsigned flags) {
  ANNOTATE(HEDDLE_ANNOTATE_LOCK_CREATE, mutex, flags);
}

HEDDLE_HOOK void __tsan_mutex_destroy(void* mutex, unsigned flags) {
  ANNOTATE(HEDDLE_ANNOTATE_LOCK_DESTROY, mutex, flags);
}

HEDDLE_HOOK void __tsan_mutex_pre_lock(void* mutex, unsigned flags) {
  ANNOTATE(HEDDLE_ANNOTATE_LOCK_PRE, mutex, flags);
}

/* The argument holds the flags below and the number of levels of a recursive lock above. */
HEDDLE_HOOK void __tsan_mutex_post_lock(void* mutex, unsigned flags, int recursion) {
  ANNOTATE(HEDDLE_ANNOTATE_LOCK_POST, mutex, (uint64_t)(uint32_t)recursion << 32 | flags);
}

/* Returns how many levels are released, for the program to hand to the next post_lock. */
HEDDLE_HOOK int __tsan_mutex_pre_unlock(void* mutex, unsigned flags) {
  ANNOTATE(HEDDLE_ANNOTATE_UNLOCK_PRE, mutex, flags);
  return 1;
}

HEDDLE_HOOK void __tsan_mutex_post_unlock(void* mutex, unsigned flags) {
  ANNOTATE(HEDDLE_ANNOTATE_UNLOCK_POST, mutex, flags);
}

HEDDLE_HOOK void __tsan_mutex_pre_signal(void* address, unsigned flags) {
  ANNOTATE(HEDDLE_ANNOTATE_SIGNAL_PRE, address, flags);
}

HEDDLE_HOOK void __tsan_mutex_post_signal(void* address, unsigned flags) {
  ANNOTATE(HEDDLE_ANNOTATE_SIGNAL_POST, address, flags);
}

HEDDLE_HOOK void __tsan_mutex_pre_divert(void* address, unsigned flags) {
  ANNOTATE(HEDDLE_ANNOTATE_DIVERT_PRE, address, flags);
}

HEDDLE_HOOK void __tsan_mutex_post_divert(void* address, unsigned flags) {
  ANNOTATE(HEDDLE_ANNOTATE_DIVERT_POST, address, flags);
}

/* Objects of a library that is not instrumented. A tag only names the type, so the name is the tag.
 */
HEDDLE_HOOK void* __tsan_external_register_tag(const char* object_type) {
  return (void*)(uintptr_t)object_type;
}

HEDDLE_HOOK void __tsan_external_register_header(void* tag, const char* header) {}
HEDDLE_HOOK void __tsan_external_assign_tag(void* address, void* tag) {}

HEDDLE_HOOK void __tsan_external_read(void* address, void* caller_pc, void* tag) {
  heddle_plain((uint64_t)(uintptr_t)caller_pc, address, 1, 0);
}

HEDDLE_HOOK void __tsan_external_write(void* address, void* caller_pc, void* tag) {
  heddle_plain((uint64_t)(uintptr_t)caller_pc, address, 1, 1);
}

/* Every fiber that was made while nobody was looking; the engine never hears of it. */
static char unseen_fiber;

HEDDLE_HOOK void* __tsan_get_current_fiber(void) {
  return heddle_is_active() ? heddle_fiber_current() : &unseen_fiber;
}

HEDDLE_HOOK void* __tsan_create_fiber(unsigned flags) {
  return heddle_is_active() ? heddle_fiber_create(flags) : &unseen_fiber;
}

HEDDLE_HOOK void __tsan_destroy_fiber(void* fiber) {
  if (heddle_is_active() && fiber != &unseen_fiber) heddle_fiber_destroy(fiber);
}

HEDDLE_HOOK void __tsan_switch_to_fiber(void* fiber, unsigned flags) {
  if (heddle_is_active() && fiber != &unseen_fiber) heddle_fiber_switch(fiber, flags);
}

HEDDLE_HOOK void __tsan_set_fiber_name(void* fiber, const char* name) {}
HEDDLE_HOOK void __tsan_flush_memory(void) {}
