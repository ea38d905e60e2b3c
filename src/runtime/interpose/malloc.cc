// The program's heap, deterministic (runtime/memory/heap.h). Before heddle is up, and in threads it
// does not schedule, libc's; a pointer goes back to where it came from.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "runtime/engine.h"
#include "runtime/interpose/freeing.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/location.h"
#include "runtime/memory/modules.h"
#include "runtime/memory/sharing.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/stacks.h"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace heddle {
namespace {

// Not OfThisThread(): allocation must not boot the engine, and the engine's own scope does not
// matter.
Scheduler* OwnerOfTheHeap() {
  Scheduler* const scheduler = engine.scheduler;
  if (scheduler == nullptr || engine.uses_libc_heap) return nullptr;
  return ThreadPointer() == scheduler->current()->shell->fs ? scheduler : nullptr;
}

bool IsOurs(const void* pointer) {
  return Heap::Contains(reinterpret_cast<std::uint64_t>(pointer));
}

[[noreturn, gnu::cold]] void FailAtLimit(Scheduler* scheduler) {
  Failure failure;
  failure.kind = FailureKind::kMemoryLimit;
  failure.thread = scheduler->current()->id;
  SetText(failure.message, sizeof failure.message,
          "the program's heap reached the memory limit of a run");
  FailRun(failure);
}

void CheckLimit(Scheduler* scheduler, std::size_t size) {
  const std::uint64_t limit = engine.channel->config.memory_bytes;
  if (size < limit && Heap::BytesInUse() < limit - size) return;
  if (limit != 0 && scheduler->recorder().recording()) FailAtLimit(scheduler);
}

// Of a block from before the run no stack is taken: it is named by the code that asked the library
// for it or gave it back (operator new, a container), not by the library.
[[gnu::noinline]] std::uint64_t PlaceBeforeRun(std::uint64_t site) {
  constexpr int kProgram = 0;
  const int library = Modules::IndexOf(site);
  if (library == kProgram) return site;
  std::uint64_t frames[kMostFrames];
  const std::uint32_t count = CaptureStack(frames, kMostFrames);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (Modules::IndexOf(frames[i]) != library) return frames[i];
  }
  return site;
}

std::uint64_t PlaceOf(Scheduler* scheduler, std::uint64_t site) {
  if (scheduler->recorder().recording() || engine.hot.active == 0) return site;
  return PlaceBeforeRun(site);
}

void* Allocate(Scheduler* scheduler, std::size_t size, std::size_t alignment, std::uint64_t site) {
  CheckLimit(scheduler, size);
  scheduler->memory_faults().BeforeAllocation(size);
  Thread* const self = scheduler->current();
  HeapBlock name;
  name.owner_path = self->path_hash;
  name.nth = ++self->allocations;
  name.site = PlaceOf(scheduler, site);
  bool is_fresh = false;
  void* const block = Heap::Allocate(size, alignment, name, &is_fresh);
  if (block == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  if (!is_fresh) Sharing::Revive(block, size);
  scheduler->memory_faults().Allocated(reinterpret_cast<std::uint64_t>(block));
  return block;
}

[[gnu::noinline]] void ForgetObjectsIn(const HeapRange& range) {
  Objects::ForgetRange(range.base, range.block->size);
  if (engine.scheduler != nullptr) {
    engine.scheduler->races().Forget(range.base, range.block->size);
  }
}

[[noreturn, gnu::cold, gnu::noinline]] void ReportInvalidFree(Scheduler* scheduler,
                                                              std::uint64_t address) {
  scheduler->memory_faults().ReportInvalidFree(address);
}

[[noreturn, gnu::cold, gnu::noinline]] void ReportDoubleFree(Scheduler* scheduler,
                                                             std::uint64_t address) {
  scheduler->memory_faults().ReportDoubleFree(address);
}

void Release(void* pointer, std::uint64_t site) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  Scheduler* const scheduler = OwnerOfTheHeap();
  const HeapRange range = Heap::BlockAt(address);
  const bool is_checked = scheduler != nullptr && scheduler->memory_faults().is_on();
  if (__builtin_expect(range.block == nullptr, 0)) {
    if (is_checked) ReportInvalidFree(scheduler, address);
    return;
  }
  if (is_checked) {
    if (range.block->is_freed == 0) TouchFreed(scheduler, pointer, range.block->size, site);
    // Others may have run meanwhile, and freed it too.
    if (range.block->is_freed != 0) ReportDoubleFree(scheduler, address);
  }
  if (range.block->is_freed != 0) abort();  // before any run, where libc ends the program too
  if (range.block->has_objects != 0) ForgetObjectsIn(range);
  if (scheduler != nullptr && scheduler->memory_faults().Keep(range, PlaceOf(scheduler, site))) {
    Sharing::Forget(pointer, range.block->size);
    return;
  }
  Heap::Free(pointer);
}

// Of static data and stacks libc would say no more than that something is wrong.
[[gnu::cold, gnu::noinline]] void ReleaseForeign(void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  Scheduler* const scheduler = OwnerOfTheHeap();
  if (scheduler != nullptr && scheduler->memory_faults().is_on()) {
    const bool is_stack = address - kStacksBase < kStacksSize || Locations::IsMainStack(address);
    if (is_stack || Modules::Has(address)) ReportInvalidFree(scheduler, address);
  }
  __libc_free(pointer);
}

bool IsPowerOfTwo(std::size_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace
}  // namespace heddle

using heddle::OwnerOfTheHeap;
using heddle::Scheduler;

HEDDLE_EXPORT void* malloc(std::size_t size) {
  Scheduler* const scheduler = OwnerOfTheHeap();
  if (scheduler == nullptr) return __libc_malloc(size);
  return heddle::Allocate(scheduler, size, 16, HEDDLE_CALLER);
}

HEDDLE_EXPORT void free(void* pointer) {
  if (pointer == nullptr) return;
  if (!heddle::IsOurs(pointer)) return heddle::ReleaseForeign(pointer);
  heddle::Release(pointer, HEDDLE_CALLER);
}

HEDDLE_EXPORT void* calloc(std::size_t count, std::size_t size) {
  Scheduler* const scheduler = OwnerOfTheHeap();
  if (scheduler == nullptr) return __libc_calloc(count, size);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const block = heddle::Allocate(scheduler, bytes, 16, HEDDLE_CALLER);
  if (block != nullptr) std::memset(block, 0, bytes);
  return block;
}

HEDDLE_EXPORT void* realloc(void* pointer, std::size_t size) {
  Scheduler* const scheduler = OwnerOfTheHeap();
  if (scheduler == nullptr && !heddle::IsOurs(pointer)) return __libc_realloc(pointer, size);
  if (pointer != nullptr && size == 0) {
    free(pointer);
    return nullptr;
  }
  void* const block = scheduler == nullptr ? __libc_malloc(size)
                                           : heddle::Allocate(scheduler, size, 16, HEDDLE_CALLER);
  if (block == nullptr || pointer == nullptr) return block;
  const std::size_t old =
      heddle::IsOurs(pointer) ? heddle::Heap::UsableSize(pointer) : malloc_usable_size(pointer);
  std::memcpy(block, pointer, std::min(old, size));
  free(pointer);
  return block;
}

HEDDLE_EXPORT void* reallocarray(void* pointer, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(pointer, bytes);
}

HEDDLE_EXPORT void* memalign(std::size_t alignment, std::size_t size) {
  Scheduler* const scheduler = OwnerOfTheHeap();
  if (scheduler == nullptr) return __libc_memalign(alignment, size);
  return heddle::Allocate(scheduler, size, std::max<std::size_t>(alignment, 16), HEDDLE_CALLER);
}

HEDDLE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}

HEDDLE_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (!heddle::IsPowerOfTwo(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int before = errno;
  void* const block = memalign(alignment, size);
  errno = before;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

HEDDLE_EXPORT void* valloc(std::size_t size) { return memalign(4096, size); }
HEDDLE_EXPORT void* pvalloc(std::size_t size) {
  return memalign(4096, (size + 4095) & ~std::size_t{4095});
}

HEDDLE_EXPORT std::size_t malloc_usable_size(void* pointer) {
  if (pointer == nullptr) return 0;
  if (heddle::IsOurs(pointer)) return heddle::Heap::UsableSize(pointer);
  // glibc keeps the chunk's size in front of it; the low three bits are flags.
  const std::size_t chunk = static_cast<std::size_t*>(pointer)[-1] & ~std::size_t{7};
  const bool mapped = (static_cast<std::size_t*>(pointer)[-1] & 2) != 0;
  return chunk - (mapped ? 2 : 1) * sizeof(std::size_t);
}
