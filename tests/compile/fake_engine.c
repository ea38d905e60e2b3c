/* The engine's side of abi.h, reduced to writing down what the hooks say: a tool for testing the
 * hooks.
 *
 * Dormant unless FAKE_ENGINE_LOG names a file; then one line per event is appended to it:
 *   read 4 | write 8 | read-range 64 | write-range 64 | load 4 order=5 value=7 | store … | rmw …
 * failed=0 fence 5 | annotate 3 argument=0 | name TEXT (a thread name, used as a marker) | fiber
 * create … With FAKE_ENGINE_OWN=1 the first access makes the thread the owner of its granules, so
 * that the fast path waves later ones through.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/hooks/abi.h"
#include "runtime/hooks/kept.h"

#define EXPORT __attribute__((visibility("default")))

enum { kOwned = 1 };

static uint64_t calls[1 << HEDDLE_CALL_BITS];
static uint64_t sites[1 << HEDDLE_SITE_BITS];
static struct HeddleHot hot = {.calls = calls, .sites = sites};
static int log_file = -1;
static int takes_ownership;
static char fibers[8];

static void Say(const char* format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (write(log_file, line, (size_t)size) != size) abort();
}

static void Start(void) {
  const char* const path = getenv("FAKE_ENGINE_LOG");
  if (path == NULL || log_file >= 0) return;
  log_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
  if (log_file < 0) abort();
  takes_ownership = getenv("FAKE_ENGINE_OWN") != NULL;
  hot.shadow = mmap(NULL, UINT64_C(1) << 43, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (hot.shadow == MAP_FAILED) abort();
  hot.owner_read = hot.owner_write = kOwned;
  hot.active = HEDDLE_ACTIVE;
  if (getenv("FAKE_ENGINE_SYNC_ONLY") == NULL) hot.active |= HEDDLE_SEES_ACCESSES;
}

EXPORT struct HeddleHot* heddle_attach(uint64_t abi) {
  Start();
  return &hot;
}

static void Own(uint64_t pc, uint64_t address, uint64_t size) {
  if (!takes_ownership) return;
  sites[heddle_site_slot(pc)] = pc;
  for (uint64_t a = address & ~UINT64_C(7); a < address + size; a += 8) {
    *(uint64_t*)(hot.shadow + (a & HEDDLE_SHADOW_MASK)) = kOwned;
  }
}

EXPORT void heddle_access(uint64_t pc, const void* address, uint64_t size, int is_write) {
  Say("%s %lu\n", is_write ? "write" : "read", size);
  Own(pc, (uint64_t)address, size);
}

EXPORT void heddle_access_range(uint64_t pc, const void* address, uint64_t size, int is_write) {
  Say("%s-range %lu\n", is_write ? "write" : "read", size);
  Own(pc, (uint64_t)address, size);
}

/* Nobody else runs. */
EXPORT void* heddle_room(uint64_t size) {
  (void)size;
  return 0;
}

EXPORT void heddle_atomic_begin(uint64_t pc, const void* address, uint32_t size, int kind,
                                int order) {
  static const char* const kKinds[] = {"load", "store", "rmw"};
  Say("%s %u order=%d", kKinds[kind], size, order);
}

EXPORT void heddle_compare_begin(uint64_t pc, const void* address, uint32_t size, uint64_t expected,
                                 int order) {
  heddle_atomic_begin(pc, address, size, HEDDLE_READ_MODIFY_WRITE, order);
}

EXPORT void heddle_atomic_end(uint64_t value, int failed) {
  Say(" value=%lu failed=%d\n", value, failed);
}

EXPORT uint64_t heddle_atomic_load(uint64_t pc, const void* address, uint32_t size, int order) {
  uint64_t value = 0;
  memcpy(&value, address, size);
  heddle_atomic_begin(pc, address, size, HEDDLE_LOAD, order);
  heddle_atomic_end(value, 0);
  return value;
}

EXPORT void heddle_atomic_store(uint64_t pc, void* address, uint32_t size, uint64_t value,
                                int order) {
  heddle_atomic_begin(pc, address, size, HEDDLE_STORE, order);
  memcpy(address, &value, size);
  heddle_atomic_end(value, 0);
}

EXPORT void heddle_fence(uint64_t pc, int order) { Say("fence %d\n", order); }

EXPORT void heddle_annotate(uint64_t pc, int annotation, const void* address, uint64_t argument) {
  if (annotation == HEDDLE_ANNOTATE_THREAD_NAME) {
    Say("name %s depth=%lu\n", (const char*)address, hot.call_depth);
  } else {
    Say("annotate %d argument=%lu\n", annotation, argument);
  }
}

EXPORT void* heddle_fiber_create(unsigned flags) {
  Say("fiber create\n");
  return &fibers[1];
}

EXPORT void heddle_fiber_destroy(void* fiber) { Say("fiber destroy %ld\n", (char*)fiber - fibers); }

EXPORT void heddle_fiber_switch(void* fiber, unsigned flags) {
  Say("fiber switch %ld\n", (char*)fiber - fibers);
}

EXPORT void* heddle_fiber_current(void) { return &fibers[0]; }
