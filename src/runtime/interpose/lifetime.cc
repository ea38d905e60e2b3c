#include "runtime/interpose/lifetime.h"

#include "runtime/memory/modules.h"
#include "runtime/scheduler/failure.h"

namespace heddle {
namespace {

// Threads that are stopped at it: blocked, not merely about to use it.
bool IsAwaited(Scheduler* scheduler, const Object& object) {
  if (!object.waiters.empty()) return true;
  for (const Thread* thread = object.pending; thread != nullptr; thread = thread->next_pending) {
    if (!scheduler->View().IsEnabled(thread->id)) return true;
  }
  return false;
}

// Threads that are about to use it mean this object, not one that comes after it.
bool IsAnnounced(Scheduler* scheduler, const Object& object) {
  const ThreadId self = scheduler->current()->id;
  const RunView& view = scheduler->View();
  for (ThreadId thread = 0; thread < view.pending.size(); ++thread) {
    const PendingOp& next = view.pending[thread];
    if (thread != self && view.IsLive(thread) &&
        (next.object == object.id || next.second == object.id)) {
      return true;
    }
  }
  return false;
}

// Every thread can name it, whoever runs first.
bool IsStatic(const void* address) {
  return Modules::Has(reinterpret_cast<std::uint64_t>(address));
}

void Change(Scheduler* scheduler, const Primitive& primitive, OpKind kind, std::uint64_t site) {
  // Not who is alive: whether a thread that nobody joins has ended by now is no event's business.
  const bool has_company = !scheduler->is_alone();
  Object* object = Objects::FindAt(primitive.address, primitive.kind);
  if (object == nullptr && has_company &&
      (kind == OpKind::kDestroy || IsStatic(primitive.address))) {
    // A thread that has not come to its first operation yet may want it. What is initialised in
    // memory that was allocated nobody has had before.
    object = Objects::At(primitive.address, primitive.kind);
  }
  if (object == nullptr) return;
  if (has_company) {
    scheduler->Reach({.kind = kind, .object = object, .site = site});
    const bool begins = kind == OpKind::kInit;
    if (IsAwaited(scheduler, *object)) {
      ReportMisuse(scheduler, object,
                   begins ? "initialised again while threads wait for it"
                          : "destroyed while threads wait for it");
    }
    if (primitive.is_in_use != nullptr && primitive.is_in_use(*object)) {
      ReportMisuse(scheduler, object,
                   begins ? "initialised again while it is held" : "destroyed while it is held");
    }
    scheduler->Record();
  }
  if (!IsAnnounced(scheduler, *object)) Objects::Forget(object);
}

}  // namespace

void BeginLife(Scheduler* scheduler, const Primitive& primitive, std::uint64_t site) {
  Change(scheduler, primitive, OpKind::kInit, site);
}

void EndLife(Scheduler* scheduler, const Primitive& primitive, std::uint64_t site) {
  Change(scheduler, primitive, OpKind::kDestroy, site);
}

}  // namespace heddle
