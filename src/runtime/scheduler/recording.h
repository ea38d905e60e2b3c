// How the scheduler announces and records an operation: what every event needs, in its place in
// whoever records.
#ifndef HEDDLE_RUNTIME_SCHEDULER_RECORDING_H_
#define HEDDLE_RUNTIME_SCHEDULER_RECORDING_H_

#include "runtime/scheduler/scheduler.h"

namespace heddle {

[[gnu::always_inline]] inline void Scheduler::Recorded(Thread* thread, Event* event,
                                                       Object* object) {
  thread->last_event = event;
  thread->last_object = object;
  const bool is_watched = policy_watches_ && recorder_.events() > policy_->watches_from();
  if (is_watched) policy_->Observe(*event, view_);
}

[[gnu::always_inline]] inline Event* Scheduler::RecordUsual(Thread* thread, const PendingOp& op,
                                                            OpKind kind, Object* object,
                                                            std::uint64_t value, ThreadId other) {
  Event* const event = recorder_.AddUsual(thread, op, kind, object, value, other);
  // While there was only one thread, all it did comes before what others will do. Accesses to
  // memory order nobody here: they are told by those who know their address.
  if (threads_.size() > 1) races_.Expect(event, kind, recorder_.events() - 1, object, nullptr);
  Recorded(thread, event, object);
  return event;
}

// Field by field: a whole one is put together elsewhere first, and copied before it is there.
[[gnu::always_inline]] inline void Scheduler::Announce(OpKind kind, Object* object,
                                                       std::uint64_t site, std::uint8_t size,
                                                       std::uint8_t order, PendingOp* op) {
  recorder_.Announce(object);
  op->site = site;
  op->object = object == nullptr ? kNoObject : object->id;
  op->second = kNoObject;
  op->context = Context();
  op->kind = kind;
  op->size = size;
  op->order = order;
  op->flags = 0;
  op->spins = false;
}

[[gnu::always_inline]] inline Event* Scheduler::RecordDirectlyHere(OpKind kind, Object* object,
                                                                   std::uint64_t site,
                                                                   std::uint8_t size) {
  Thread* const self = current_;
  CompleteWrite();
  PendingOp& op = pending_[self->id];
  TellSpin(self);
  Announce(kind, object, site, size, 0, &op);
  SetReached(object, nullptr);
  if (__builtin_expect(!IsUsual(*self), 0)) return RecordUnusual(0, kNoThread);
  return RecordUsual(self, op, kind, object, 0, kNoThread);
}

[[gnu::always_inline]] inline Event* Scheduler::RecordHere(OpKind kind, std::uint64_t value,
                                                           ThreadId other) {
  Thread* const self = current_;
  const bool is_usual = IsUsual(*self) && self->last_event == nullptr && !races_.is_unsettled();
  if (__builtin_expect(!is_usual, 0)) return RecordUnusual(value, other);
  return RecordUsual(self, pending_[self->id], kind, reached_object_, value, other);
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_RECORDING_H_
