// How a thread comes to an operation that it may have to wait for: in its place in whoever knows
// which one it is (locks, joins), so that only what can happen there is asked.
#ifndef HEDDLE_RUNTIME_SCHEDULER_REACHING_H_
#define HEDDLE_RUNTIME_SCHEDULER_REACHING_H_

#include <array>
#include <vector>

#include "runtime/engine.h"
#include "runtime/scheduler/bits.h"
#include "runtime/scheduler/focus.h"
#include "runtime/scheduler/recording.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {

// Operations that wait for their object's state, not for a wake-up.
constexpr bool WaitsForState(OpKind kind) {
  return kind == OpKind::kLock || kind == OpKind::kSemWait || kind == OpKind::kOnce ||
         kind == OpKind::kJoin || kind == OpKind::kTimedJoin || kind == OpKind::kReadLock ||
         kind == OpKind::kWriteLock || kind == OpKind::kSigWait || kind == OpKind::kSend ||
         kind == OpKind::kReceive || kind == OpKind::kPoll || kind == OpKind::kLook ||
         kind == OpKind::kEpollWait || kind == OpKind::kFileLock || kind == OpKind::kSemOp;
}

// Whether it can be something that can't be done now. Asked at every operation, as tables.
struct Blocking {
  bool may_block = false;
  bool for_state = false;
};
inline constexpr auto kBlocking = [] {
  std::array<Blocking, kOpKindCount> blocking{};
  for (std::size_t i = 0; i < blocking.size(); ++i) {
    const auto kind = static_cast<OpKind>(i);
    blocking[i].for_state = WaitsForState(kind);
    blocking[i].may_block = WaitsForState(kind) || kind == OpKind::kWake ||
                            kind == OpKind::kBarrierLeave || kind == OpKind::kSleep;
  }
  return blocking;
}();
constexpr Blocking BlockingOf(OpKind kind) { return kBlocking[static_cast<std::size_t>(kind)]; }
constexpr bool MayBlock(OpKind kind) { return BlockingOf(kind).may_block; }

// Objects whose memory is not the program's, or is looked at where it is accessed.
constexpr bool NeedsNoLook(ObjectKind kind) {
  return kind == ObjectKind::kMemory || kind == ObjectKind::kThread ||
         kind == ObjectKind::kChannel || kind == ObjectKind::kChannels;
}

// Mutexes and joins are what is asked most; what calls others is left to them.
inline bool Scheduler::IsPossible(const Thread& thread, OpKind kind, const Object* object) const {
  if (__builtin_expect(thread.ready != nullptr, 0)) return IsReady(thread);
  if (kind == OpKind::kLock) return object->mutex.CanLock(thread.id, thread.lock_kind);
  if (kind == OpKind::kJoin) return threads_[object->thread]->ended;
  return !MayBlock(kind) || IsPossibleElse(thread, kind, object);
}

inline bool Scheduler::CanProceed(const Thread& thread, OpKind kind, const Object* object) const {
  if (thread.interruption == Interruption::kNone) return IsPossible(thread, kind, object);
  const bool ends = thread.interruption == Interruption::kAnywhere || thread.is_interruptible;
  return ends || IsPossible(thread, kind, object);
}

inline void Scheduler::Link(Thread* thread, Object* object) {
  thread->blocked_on = object;
  thread->previous_pending = nullptr;
  thread->next_pending = object->pending;
  if (object->pending != nullptr) object->pending->previous_pending = thread;
  object->pending = thread;
}

inline void Scheduler::Unlink(Thread* thread) {
  if (thread->previous_pending != nullptr) {
    thread->previous_pending->next_pending = thread->next_pending;
  } else {
    thread->blocked_on->pending = thread->next_pending;
  }
  if (thread->next_pending != nullptr)
    thread->next_pending->previous_pending = thread->previous_pending;
  thread->blocked_on = nullptr;
}

[[gnu::always_inline]] inline Outcome Scheduler::GoOnOrWaitHere(const Reaching& what, bool awaits) {
  Thread* const self = current_;
  pending_[self->id].spins = self->spin.is_spinning();
  self->lock_kind = what.mutex_kind;
  self->ready = what.ready;
  self->ready_argument = what.argument;
  self->is_interruptible = what.interruptible;
  self->granted = Outcome::kNormal;
  SetReached(what.object, what.second);
  if (replay_.anchored()) {
    const EngineScope scope;
    replay_.Announced(*self, pending_[self->id]);
  }

  const bool is_free = !MayBlock(what.kind) && what.ready == nullptr;
  const bool can = !awaits && (is_free || CanProceed(*self, what.kind, what.object));
  const bool is_point =
      IsPoint(what.kind) && held_ == 0 &&
      (!Focus::is_set() || self->spin.is_spinning() || Focus::Covers(*hot_, what.site));
  if (can && !is_point) {
    const Outcome outcome = EndedAs(self, what.object);
    self->ready = nullptr;
    return outcome;
  }
  if (held_ > 0) {
    Uncontrolled("blocking inside the dynamic linker",
                 "another thread runs while the linker's lock is held; it may hang", what.site);
  }

  SetEnabled(self->id, can);
  if (what.ready != nullptr || BlockingOf(what.kind).for_state) {
    Link(self, what.changes_with != nullptr ? what.changes_with : what.object);
  }
  self->deadline = what.deadline;
  if (!can && what.timed) {
    SetTimed(self->id, true);
    self->lets_time_pass = true;
  }
  if (!can && !what.timed && !awaits) CheckForCycle(self);
  if (awaits) {
    self->awaits = true;
    awaiting_.push_back(self);
  }

  Thread* const next = Pick();
  if (next != self) SwitchTo(next);

  const Object* const object = self->blocked_on != nullptr ? self->blocked_on : what.object;
  const Outcome outcome = EndedAs(self, object);
  if (self->blocked_on != nullptr) Unlink(self);
  self->ready = nullptr;
  SetTimed(self->id, false);
  if (awaits) {
    self->awaits = false;
    std::erase(awaiting_, self);
    self->has_awaited = true;
    if (!self->goes_round) {
      self->spin.Reset();
      self->stands = false;
    }
    self->is_still = false;
    self->goes_round = false;
  }
  SetReached(what.object, what.second);
  if (what.object != nullptr && !NeedsNoLook(what.object->kind)) {
    CheckAlive(what.kind, what.object);
  }
  return outcome;
}

[[gnu::always_inline]] inline Outcome Scheduler::ReachOnceHere(const Reaching& what) {
  Thread* const self = current_;
  CompleteWrite();
  PendingOp& op = pending_[self->id];
  Announce(what.kind, what.object, what.site, what.size, what.order, &op);
  op.SetTimed(what.timed);
  if (what.second != nullptr) {
    op.second = what.second->id;
    recorder_.Announce(what.second);
  }
  TellSpin(self);
  bool awaits = __builtin_expect(Loops::any(), 0) && ComesToKnownLoop(self, what.site);
  if (__builtin_expect(awaits, 0)) {
    // It stands.
  } else if (__builtin_expect(self->spin.IsAt(what.site, hot_->call_depth), 0)) {
    awaits = ComesRound(self);
  } else {
    self->spin.Pass(what.kind, what.site, hot_->call_depth);
  }
  return GoOnOrWaitHere(what, awaits);
}

[[gnu::always_inline]] inline Outcome Scheduler::ReachOrWaitHere(const Reaching& what) {
  Thread* const self = current_;
  // Not between going into a queue and waiting there: what comes then ends the wait.
  const bool is_in_queue = what.kind == OpKind::kWake || what.kind == OpKind::kBarrierLeave;
  if (__builtin_expect(self->needs_attention, 0) && !is_in_queue) Attend();
  const Outcome outcome = ReachOnceHere(what);
  const bool is_disturbed = self->needs_attention || outcome == kInterrupted;
  return __builtin_expect(is_disturbed, 0) ? AttendTo(what, outcome) : outcome;
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_REACHING_H_
