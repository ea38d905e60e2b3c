// What the compiler's instrumentation reports: plain accesses, atomics, fences, annotations. The
// other half is in runtime/hooks.
#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/engine.h"
#include "runtime/interpose/freeing.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/sharing.h"
#include "runtime/memory/sites.h"
#include "runtime/scheduler/dead_frames.h"
#include "runtime/scheduler/memory_object.h"
#include "runtime/scheduler/recording.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/unseen_wait.h"
#include "trace/expected_value.h"

namespace heddle {
namespace {

// Detail only.
[[gnu::noinline]] void KeepValue(Scheduler* scheduler, Event* event, const void* address,
                                 std::uint64_t size, bool is_write) {
  if (is_write) {
    scheduler->ExpectWrite(event, address);
  } else {
    std::memcpy(&event->value, address, size);
    event->flags |= Event::kHasValue;
  }
}

// How much of a bulk access is looked at: of a very large one, the first megabyte.
std::uint64_t Looked(std::uint64_t size) {
  constexpr std::uint64_t kMost = 1 << 20;
  return size < kMost ? size : kMost;
}

// Likewise of what is freed.
constexpr std::uint64_t kMostFreed = 32 * 1024;

std::uint32_t IndexOfLast(Scheduler* scheduler) {
  return static_cast<std::uint32_t>(scheduler->recorder().events() - 1);
}

// As it is announced: more than a granule's for what lies in two, 255 for all that is larger.
std::uint8_t SizeOf(std::uint64_t size, bool is_several) {
  return static_cast<std::uint8_t>(std::clamp<std::uint64_t>(size, is_several ? 9 : 0, 255));
}

// More than a granule, or the last access to a block: the granules behind its first are touched
// too, and how far it reaches is noted.
void Span(Scheduler* scheduler, Event* event, const void* address, std::uint64_t size) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  const std::uint64_t end = first + Looked(size);
  Extent extent;
  for (std::uint64_t at = (first & ~7ull) + 8; at < end; at += 8) {
    const auto* const here = reinterpret_cast<const void*>(at);
    const std::uint64_t bytes = end - at < 8 ? end - at : 8;
    Object* const object = MemoryNow(MemoryAt(here, bytes), here, bytes, event->kind);
    scheduler->recorder().AlsoTouches(*scheduler->current(), event->kind, object);
    ++extent.granules;
  }
  extent.known = Objects::Count();
  event->value = extent.value();
  event->flags |= Event::kSpans;
}

std::uint64_t atomic_address = 0;  // of the operation that is under way

// What is not known to be in use at first sight.
[[gnu::noinline]] void LookWhetherAlive(Scheduler* scheduler, const void* address,
                                        std::uint64_t size, bool is_write, std::uint64_t pc) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const char* const what = is_write ? "write" : "read";
  const Shell& shell = *scheduler->current()->shell;
  if (DeadFrames::IsForeignStack(at, shell)) {
    scheduler->memory_faults().CheckStack(at, size, what);
  } else if (DeadFrames::MayBeOwnDead(at, shell)) {
    scheduler->memory_faults().CheckOwnStack(at, size, what, shell.entry, pc);
  } else if (Sharing::IsUntouched(address)) {
    scheduler->memory_faults().CheckUse(at, size, what);
  }
}

// The next touch of memory that was freed comes by here.
[[gnu::always_inline]] inline void CheckAlive(Scheduler* scheduler, const void* address,
                                              std::uint64_t size, bool is_write, std::uint64_t pc) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const bool is_known = Heap::Contains(at)
                            ? !Sharing::IsUntouched(address)
                            : DeadFrames::IsKnownLive(at, *scheduler->current()->shell);
  if (__builtin_expect(!is_known, 0)) LookWhetherAlive(scheduler, address, size, is_write, pc);
}

// For DeadFrames: hooks have no frame pointers, what called them can't be found from inside.
[[gnu::always_inline]] inline void NoteEntry(Scheduler* scheduler) {
  scheduler->current()->shell->entry =
      static_cast<const std::uint64_t*>(__builtin_frame_address(0));
}

// A point of several granules, or the last access to a block.
[[gnu::noinline]] void AccessSeveral(Scheduler* scheduler, std::uint64_t pc, const void* address,
                                     std::uint64_t size, bool is_write, std::uint8_t flags) {
  const bool is_several = (reinterpret_cast<std::uint64_t>(address) & 7) + size > 8;
  Event* const event =
      scheduler->Access(is_write ? OpKind::kWrite : OpKind::kRead, MemoryAt(address, size), pc,
                        SizeOf(size, is_several), address, size);
  event->flags |= flags;
  if (flags == 0) CheckAlive(scheduler, address, size, is_write, pc);
  if (scheduler->thread_count() > 1) {
    scheduler->races().Plain(*event, IndexOfLast(scheduler),
                             reinterpret_cast<std::uint64_t>(address), Looked(size));
  }
  Span(scheduler, event, address, size);
  Sharing::TouchAtPoint(address, size, is_write, scheduler->current()->id, scheduler->channel());
}

// No point.
[[gnu::noinline]] void AccessUnseen(Scheduler* scheduler, Site* site, const void* address,
                                    std::uint64_t size, bool is_write, std::uint8_t flags) {
  const std::uint64_t pc = site->pc;
  if (flags == 0) CheckAlive(scheduler, address, size, is_write, pc);
  if (__builtin_expect(UnseenWait::is_asked(), 0)) {
    scheduler->LookForUnseenWait(*site, address, is_write);
  } else {
    Sites::Remember(*site);
  }
  // What a thread does while it is alone comes before all that later threads do: no site to learn.
  const bool alone = scheduler->is_alone();
  Sharing::Touch(address, size, is_write, scheduler->current()->id, alone ? nullptr : site,
                 scheduler->channel());
}

[[gnu::always_inline]] inline void Access(std::uint64_t pc, const void* address, std::uint64_t size,
                                          bool is_write, std::uint8_t flags = 0) {
  Scheduler* const scheduler = Scheduler::OfHook();
  if (scheduler == nullptr) return;
  NoteEntry(scheduler);
  if (is_write) scheduler->NoteWrite(address);
  Site* const site = Sites::Find(pc);
  if (__builtin_expect(site != nullptr && site->is_new, 0) && scheduler->recorder().recording()) {
    Sites::Meet(site, scheduler->channel());
  }
  const bool is_point =
      site == nullptr || site->is_point || scheduler->channel()->config.points == Points::kAll;
  if (!is_point) return AccessUnseen(scheduler, site, address, size, is_write, flags);
  const bool is_several = (reinterpret_cast<std::uint64_t>(address) & 7) + size > 8;
  if (__builtin_expect(flags != 0 || is_several, 0)) {
    return AccessSeveral(scheduler, pc, address, size, is_write, flags);
  }
  Event* const event =
      scheduler->Access(is_write ? OpKind::kWrite : OpKind::kRead, MemoryAt(address, size), pc,
                        static_cast<std::uint8_t>(size), address, size);
  CheckAlive(scheduler, address, size, is_write, pc);
  if (__builtin_expect(scheduler->recorder().detail(), 0)) {
    KeepValue(scheduler, event, address, size, is_write);
  }
  if (scheduler->thread_count() > 1) {
    scheduler->races().Plain(*event, IndexOfLast(scheduler),
                             reinterpret_cast<std::uint64_t>(address), size);
  }
  Sharing::TouchAtPoint(address, size, is_write, scheduler->current()->id, scheduler->channel());
}

[[gnu::always_inline]] inline void BeginAtomic(Scheduler* scheduler, std::uint64_t pc,
                                               const void* address, std::uint32_t size, int kind,
                                               int order) {
  NoteEntry(scheduler);
  constexpr int kFirst = static_cast<int>(OpKind::kAtomicLoad);
  static_assert(static_cast<int>(OpKind::kAtomicStore) == kFirst + HEDDLE_STORE &&
                static_cast<int>(OpKind::kAtomicRmw) == kFirst + HEDDLE_READ_MODIFY_WRITE);
  const auto operation = static_cast<OpKind>(kFirst + kind);
  Object* const object = MemoryAt(address, size);
  scheduler->ReachAtomic(operation, object, pc, static_cast<std::uint8_t>(size),
                         static_cast<std::uint8_t>(order));
  if (__builtin_expect(object->is_mixed, 0)) {
    scheduler->ReachedInstead(MemoryNow(object, address, size, operation));
  }
  const bool is_write = kind != HEDDLE_LOAD;
  CheckAlive(scheduler, address, size, is_write, pc);
  if (kind == HEDDLE_READ_MODIFY_WRITE && size <= 8) {
    scheduler->current()->value_before = 0;
    std::memcpy(&scheduler->current()->value_before, address, size);
  }
  Sharing::TouchAtPoint(address, size, is_write, scheduler->current()->id, scheduler->channel());
  atomic_address = reinterpret_cast<std::uint64_t>(address);
}

// Its event has just been recorded. `failed` as in heddle_atomic_end.
[[gnu::always_inline]] inline void EndAtomic(Scheduler* scheduler, Event* event,
                                             std::uint64_t value, int failed) {
  event->value = value;
  Thread* const self = scheduler->current();
  self->changed_nothing = event->size <= 8 && value == self->value_before;
  event->flags |= Event::kHasValue;
  if (failed != 0) event->other = self->expected;
  if (scheduler->thread_count() == 1) return;
  const int order = failed > 0 ? failed - 1 : event->order;
  scheduler->races().Atomic(*event, IndexOfLast(scheduler), atomic_address,
                            static_cast<MemoryOrder>(order));
}

// `act` with a number as wide as that: from one to eight bytes.
template <typename Act>
[[gnu::always_inline]] inline auto OfWidth(std::uint32_t size, Act act) {
  switch (size) {
    case 1:
      return act(std::uint8_t());
    case 2:
      return act(std::uint16_t());
    case 4:
      return act(std::uint32_t());
    default:
      return act(std::uint64_t());
  }
}

std::uint64_t Load(const void* address, std::uint32_t size) {
  return OfWidth(size, [=](auto wide) -> std::uint64_t {
    return __atomic_load_n(static_cast<const decltype(wide)*>(address), __ATOMIC_SEQ_CST);
  });
}

void Store(void* address, std::uint32_t size, std::uint64_t value) {
  OfWidth(size, [=](auto wide) {
    using Wide = decltype(wide);
    __atomic_store_n(static_cast<Wide*>(address), static_cast<Wide>(value), __ATOMIC_SEQ_CST);
  });
}

}  // namespace
}  // namespace heddle

using heddle::OpKind;
using heddle::Scheduler;

HEDDLE_EXPORT void heddle_access(std::uint64_t pc, const void* address, std::uint64_t size,
                                 int is_write) {
  heddle::Access(pc, address, size, is_write != 0);
}

void heddle::TouchFreed(Scheduler* scheduler, const void* pointer, std::uint64_t size,
                        std::uint64_t site) {
  const std::uint64_t looked = std::min(size, kMostFreed);
  if ((engine.hot.active & HEDDLE_SEES_ACCESSES) == 0 || scheduler->is_alone()) return;
  if (Sharing::IsTouchedByOthers(pointer, looked, scheduler->current()->id)) {
    Access(site, pointer, looked, true, Event::kFrees);
  }
}

void heddle::TouchUnmapped(Scheduler* scheduler, const void* pointer, std::uint64_t size,
                           std::uint64_t site) {
  const std::uint64_t looked = std::min(size, kMostFreed);
  if ((engine.hot.active & HEDDLE_SEES_ACCESSES) == 0 || scheduler->is_alone()) return;
  const Site* const known = Sites::Find(site);
  if (known == nullptr || known->is_point ||
      Sharing::IsTouchedByOthers(pointer, looked, scheduler->current()->id)) {
    Access(site, pointer, looked, true, Event::kFrees);
  }
}

HEDDLE_EXPORT void heddle_access_range(std::uint64_t pc, const void* address, std::uint64_t size,
                                       int is_write) {
  if (size == 0) return;
  heddle::Access(pc, address, size, is_write != 0);
}

// A thread's is used again and again, in every run of the process.
HEDDLE_EXPORT void* heddle_room(std::uint64_t size) {
  struct Room {
    void* memory;
    std::uint64_t size;
  };
  static Room rooms[heddle::kMaxThreads];
  Scheduler* const scheduler = Scheduler::OfHook();
  if (scheduler == nullptr || scheduler->is_alone() || size != heddle::Looked(size)) return nullptr;
  Room& room = rooms[scheduler->current()->id];
  if (room.size < size) {
    heddle::ArenaFree(room.memory);
    room.size = std::max<std::uint64_t>(std::bit_ceil(size), 256);
    room.memory = heddle::ArenaAllocate(room.size);
  }
  return room.memory;
}

HEDDLE_EXPORT void heddle_atomic_begin(std::uint64_t pc, const void* address, std::uint32_t size,
                                       int kind, int order) {
  Scheduler* const scheduler = Scheduler::OfHook();
  if (scheduler == nullptr) return;
  if (kind == HEDDLE_READ_MODIFY_WRITE) scheduler->current()->expected = heddle::kNoThread;
  heddle::BeginAtomic(scheduler, pc, address, size, kind, order);
}

HEDDLE_EXPORT void heddle_compare_begin(std::uint64_t pc, const void* address, std::uint32_t size,
                                        std::uint64_t expected, int order) {
  Scheduler* const scheduler = Scheduler::OfHook();
  if (scheduler == nullptr) return;
  scheduler->current()->expected = heddle::FoldedValue(expected);
  heddle::BeginAtomic(scheduler, pc, address, size, HEDDLE_READ_MODIFY_WRITE, order);
}

HEDDLE_EXPORT void heddle_atomic_end(std::uint64_t value, int failed) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return;
  heddle::EndAtomic(scheduler, failed > 0 ? scheduler->RecordFailed() : scheduler->Record(), value,
                    failed);
}

HEDDLE_EXPORT std::uint64_t heddle_atomic_load(std::uint64_t pc, const void* address,
                                               std::uint32_t size, int order) {
  Scheduler* const scheduler = Scheduler::OfHook();
  if (scheduler == nullptr) return heddle::Load(address, size);
  heddle::BeginAtomic(scheduler, pc, address, size, HEDDLE_LOAD, order);
  const std::uint64_t value = heddle::Load(address, size);
  heddle::EndAtomic(scheduler, scheduler->RecordHere(OpKind::kAtomicLoad, 0, heddle::kNoThread),
                    value, 0);
  return value;
}

HEDDLE_EXPORT void heddle_atomic_store(std::uint64_t pc, void* address, std::uint32_t size,
                                       std::uint64_t value, int order) {
  Scheduler* const scheduler = Scheduler::OfHook();
  if (scheduler == nullptr) return heddle::Store(address, size, value);
  heddle::BeginAtomic(scheduler, pc, address, size, HEDDLE_STORE, order);
  heddle::Store(address, size, value);
  heddle::EndAtomic(scheduler, scheduler->RecordHere(OpKind::kAtomicStore, 0, heddle::kNoThread),
                    value, 0);
}

HEDDLE_EXPORT void heddle_fence(std::uint64_t pc, int order) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return;
  scheduler->RecordDirectly(OpKind::kFence, nullptr, pc)->order = static_cast<std::uint8_t>(order);
}

// Annotations that order threads are scheduling points on the annotated address, so that they show
// in the trace; those that only tell a race detector what to ignore have nothing to say to a
// scheduler.
HEDDLE_EXPORT void heddle_annotate(std::uint64_t pc, int annotation, const void* address,
                                   std::uint64_t argument) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return;
  heddle::Thread* const self = scheduler->current();
  heddle::Races& races = scheduler->races();
  const auto at = reinterpret_cast<std::uint64_t>(address);
  switch (annotation) {
    case HEDDLE_ANNOTATE_ACQUIRE:
    case HEDDLE_ANNOTATE_RELEASE:
    case HEDDLE_ANNOTATE_LOCK_PRE:
    case HEDDLE_ANNOTATE_UNLOCK_PRE:
    case HEDDLE_ANNOTATE_SIGNAL_PRE: {
      scheduler->Reach({.kind = OpKind::kAnnotation,
                        .object = heddle::MemoryAt(address, 8),
                        .site = pc,
                        .size = 8});
      scheduler->Record();
      if (annotation == HEDDLE_ANNOTATE_ACQUIRE) races.Acquire(self->id, at);
      if (annotation == HEDDLE_ANNOTATE_RELEASE || annotation == HEDDLE_ANNOTATE_UNLOCK_PRE) {
        races.Release(self->id, at);
      }
      break;
    }
    case HEDDLE_ANNOTATE_LOCK_POST:
      races.Acquire(self->id, at);
      break;
    case HEDDLE_ANNOTATE_NEW_MEMORY:
      heddle::Sharing::Forget(address, argument);
      races.Forget(at, argument);
      break;
    case HEDDLE_ANNOTATE_BENIGN_RACE:
      races.IgnoreRange(at, argument);
      break;
    case HEDDLE_ANNOTATE_IGNORE_READS_BEGIN:
    case HEDDLE_ANNOTATE_IGNORE_READS_END:
      races.IgnoreReads(self->id, annotation == HEDDLE_ANNOTATE_IGNORE_READS_BEGIN ? 1 : -1);
      break;
    case HEDDLE_ANNOTATE_IGNORE_WRITES_BEGIN:
    case HEDDLE_ANNOTATE_IGNORE_WRITES_END:
      races.IgnoreWrites(self->id, annotation == HEDDLE_ANNOTATE_IGNORE_WRITES_BEGIN ? 1 : -1);
      break;
    case HEDDLE_ANNOTATE_THREAD_NAME: {
      std::strncpy(self->name, static_cast<const char*>(address), sizeof self->name - 1);
      scheduler->recorder().SetName(*self);
      break;
    }
    default:
      break;
  }
}
