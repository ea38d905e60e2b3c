#include "runtime/scheduler/scheduler.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/check.h"
#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/memory/location.h"
#include "runtime/memory/sharing.h"
#include "runtime/scheduler/bits.h"
#include "runtime/scheduler/dead_frames.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/focus.h"
#include "runtime/scheduler/memory_object.h"
#include "runtime/scheduler/reaching.h"
#include "runtime/scheduler/recording.h"
#include "runtime/scheduler/stacks.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

constexpr std::uint64_t kClockKey = 1;
constexpr std::uint64_t kMainKey = Mix(Mix(0), static_cast<std::uint64_t>(ObjectKind::kThread));

// What the process came with; masks that the program sets are the model's.
const sigset_t& InheritedSignalMask() {
  static const sigset_t mask = [] {
    sigset_t set;
    real::pthread_sigmask(SIG_SETMASK, nullptr, &set);
    return set;
  }();
  return mask;
}

}  // namespace

Scheduler::Scheduler(Channel* channel, HeddleHot* hot) : channel_(channel), hot_(hot) {
  TakeTables();
  Thread* const main = NewThread(kMainPathHash, kMainKey);
  main->shell = Shells::Main();
  main->shell->path_hash = kMainPathHash;
  main->started = true;
  main->signal_mask = InheritedSignalMask();
  current_ = main;
  chosen_ = main;
  hot_->calls = main->calls;
  hot_->call_depth = 0;
  UseStackOf(*main);
  Sharing::SetRunning(hot_, kMainThread, is_alone_);
}

Object* Scheduler::clock_object() {
  if (clock_object_ == nullptr) clock_object_ = Objects::Named(ObjectKind::kClock, kClockKey);
  return clock_object_;
}

// Of addresses: contexts are compared within one process.
std::uint32_t Scheduler::HashOfCallSites() const {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << HEDDLE_CALL_BITS) - 1;
  constexpr std::uint64_t kFactors[] = {0x9fb21c651e98df25ull, 0xbf58476d1ce4e5b9ull,
                                        0x94d049bb133111ebull, 0xd6e8feb86659fd93ull,
                                        0xa0761d6478bd642full};
  const std::uint64_t depth = hot_->call_depth;
  const std::uint64_t all = std::min<std::uint64_t>(depth, call_sites_);
  const std::uint64_t count = std::min<std::uint64_t>(all, std::size(kFactors));
  std::uint64_t hash = 0;  // a sum: the products do not wait for each other
  for (std::uint64_t i = 0; i < count; ++i) {
    hash += hot_->calls[(depth - 1 - i) & kMask] * kFactors[i];
  }
  for (std::uint64_t i = count; i < all; ++i) {
    hash += hot_->calls[(depth - 1 - i) & kMask] * (Mix(i) | 1);
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

[[gnu::noinline]] bool Scheduler::IsReady(const Thread& thread) {
  const EngineScope scope;  // the condition is the program's code
  return thread.ready(thread.ready_argument) != 0;
}

[[gnu::noinline]] bool Scheduler::IsPossibleElse(const Thread& thread, OpKind kind,
                                                 const Object* object) const {
  switch (kind) {
    case OpKind::kSemWait:
      return object->semaphore.CanWait();
    case OpKind::kOnce:
      return object->once.CanPass();
    case OpKind::kTimedJoin:
      return threads_[object->thread]->ended;
    case OpKind::kReadLock:  // a writer that wants to read is told so
      return object->rwlock->CanRead() || object->rwlock->writer == thread.id;
    case OpKind::kWriteLock:
      return object->rwlock->CanWrite() || object->rwlock->writer == thread.id;
    case OpKind::kWake:
    case OpKind::kBarrierLeave:
      return thread.woken;
    case OpKind::kSleep:
      return false;
    case OpKind::kSigWait:
      return thread.signals.HasOneOf(thread.awaited_signals) ||
             process_signals_.HasOneOf(thread.awaited_signals);
    case OpKind::kSend:
    case OpKind::kReceive:
    case OpKind::kPoll:
    case OpKind::kLook:
    case OpKind::kEpollWait:
    case OpKind::kFileLock:
    case OpKind::kSemOp:
      return thread.io_ready == nullptr || thread.io_ready(thread.io_argument);
    default:
      HEDDLE_CHECK(!"an operation that may block");
      return false;
  }
}

void Scheduler::ReconsiderPending(Object* object) {
  for (Thread* thread = object->pending; thread != nullptr; thread = thread->next_pending) {
    const PendingOp& op = pending_[thread->id];
    if (thread->awaits) continue;  // see ReconsiderAwaits
    const bool can = CanProceed(*thread, op.kind, object);
    if (IsPoint(op.kind)) {
      SetEnabled(thread->id, can);
      if (op.timed()) SetTimed(thread->id, !can);
      thread->lets_time_pass |= op.timed() && !can;
    } else {
      SetEager(thread->id, can);
    }
  }
}

bool Scheduler::IsUnusualAt(std::uint64_t site) const {
  return Focus::is_set() || replay_.anchored() || (Loops::any() && Loops::Knows(site));
}

[[gnu::always_inline]] inline Thread* Scheduler::AnnounceFree(OpKind kind, Object* object,
                                                              std::uint64_t site, std::uint8_t size,
                                                              std::uint8_t order) {
  Thread* const self = current_;
  CompleteWrite();
  PendingOp& op = pending_[self->id];
  Announce(kind, object, site, size, order, &op);
  TellSpin(self);
  const bool is_usual =
      !self->needs_attention && (goes_straight_ || (held_ == 0 && !IsUnusualAt(site)));
  const auto what = [&]() -> Reaching {
    return {.kind = kind, .object = object, .site = site, .size = size, .order = order};
  };
  if (__builtin_expect(!is_usual, 0)) {
    ReachOrWait(what());  // again: nothing of it has happened yet
    return nullptr;
  }
  if (__builtin_expect(self->spin.IsAt(site, hot_->call_depth), 0)) {
    if (ComesRound(self)) {
      AttendTo(what(), GoOnOrWait(what(), true));
      return nullptr;
    }
  } else {
    self->spin.Pass(kind, site, hot_->call_depth);
  }
  op.spins = self->spin.is_spinning();
  self->is_interruptible = false;
  self->granted = Outcome::kNormal;
  SetEnabled(self->id, true);
  return IsOnlyOne() ? GoOnAlone() : PickAmong();
}

Thread* Scheduler::AnnounceAtomic(OpKind kind, Object* object, std::uint64_t site,
                                  std::uint8_t size, std::uint8_t order) {
  if (object == nullptr) __builtin_unreachable();
  return AnnounceFree(kind, object, site, size, order);
}

Outcome Scheduler::Reach(const Reaching& what) {
  const bool is_free = IsPoint(what.kind) && !MayBlock(what.kind) && what.ready == nullptr &&
                       what.second == nullptr && !what.timed;
  if (!is_free) return ReachOrWait(what);
  Thread* const next = AnnounceFree(what.kind, what.object, what.site, what.size, what.order);
  if (!GoOnWith(next, what.kind, what.object, what.site, what.size, what.order)) {
    return Outcome::kNormal;
  }
  if (what.object != nullptr && !NeedsNoLook(what.object->kind)) {
    CheckAlive(what.kind, what.object);
  }
  return Outcome::kNormal;
}

Event* Scheduler::Access(OpKind kind, Object* object, std::uint64_t site, std::uint8_t size,
                         const void* address, std::uint64_t bytes) {
  if (object == nullptr) __builtin_unreachable();
  GoOnWith(AnnounceFree(kind, object, site, size, 0), kind, object, site, size, 0);
  object = reached_object_ = MemoryNow(object, address, bytes, kind);
  // Whoever ran last before this thread was let go on may have ended there.
  races_.Settle();
  Thread* const self = current_;
  if (__builtin_expect(!IsUsual(*self), 0)) return RecordUnusual(0, kNoThread);
  Event* const event = recorder_.AddUsual(self, pending_[self->id], kind, object, 0, kNoThread);
  Recorded(self, event, object);
  return event;
}

Outcome Scheduler::ReachOrWait(const Reaching& what) { return ReachOrWaitHere(what); }

Outcome Scheduler::AttendTo(const Reaching& what, Outcome outcome) {
  Thread* const self = current_;
  const bool is_in_queue = what.kind == OpKind::kWake || what.kind == OpKind::kBarrierLeave;
  for (;;) {
    const bool is_interrupted = outcome == kInterrupted && !what.interruptible;
    // A signal that came before the operation is handled before it, even if nothing held that up.
    // A join is no point, but a wait that a signal ends: it comes back behind the handler.
    const bool is_late = __builtin_expect(self->needs_attention, 0) && !is_in_queue &&
                         outcome == Outcome::kNormal &&
                         (IsPoint(what.kind) || what.kind == OpKind::kJoin);
    if (!is_interrupted && !is_late) return outcome;
    self->is_attending = is_in_queue;
    Attend();
    self->is_attending = false;
    outcome = ReachOnce(what);
  }
}

// How what `self` announced ended: it was interrupted if that is the only way it could go on.
Outcome Scheduler::EndedAs(Thread* self, const Object* object) {
  if (self->interruption == Interruption::kNone || self->granted != Outcome::kNormal ||
      IsPossible(*self, pending_[self->id].kind, object)) {
    return self->granted;
  }
  self->interruption = Interruption::kNone;
  return kInterrupted;
}

Outcome Scheduler::ReachOnce(const Reaching& what) { return ReachOnceHere(what); }

Outcome Scheduler::GoOnOrWait(const Reaching& what, bool awaits) {
  return GoOnOrWaitHere(what, awaits);
}

void Scheduler::CheckAlive(OpKind kind, const Object* object) {
  // Whoever was let go on may have ended the life of what it waited in before it is woken: nothing
  // is read there.
  if (kind == OpKind::kFutexWake) return;
  if (DeadFrames::IsForeignStack(object->address, *current_->shell)) {
    if (DeadFrames::IsKnownLive(object->address)) return;
    memory_faults_.CheckStack(object->address, 0, NameOf(kind).data());
  } else if (DeadFrames::MayBeOwnDead(object->address, *current_->shell)) {
    memory_faults_.CheckOwnStack(object->address, 0, NameOf(kind).data(), nullptr, 0);
  } else {
    memory_faults_.CheckUse(object->address, 1, NameOf(kind).data());
  }
}

Event* Scheduler::Record(std::uint64_t value, ThreadId other) {
  return RecordHere(pending_[current_->id].kind, value, other);
}

Event* Scheduler::RecordFailed(std::uint8_t flag) {
  recorder_.Fails(&pending_[current_->id]);
  Event* const event = Record();
  recorder_.Fails(nullptr);
  event->flags |= flag;
  return event;
}

[[gnu::noinline]] Event* Scheduler::RecordUnusual(std::uint64_t value, ThreadId other) {
  Thread* const self = current_;
  races_.Settle();
  TellSpin(self);
  if (__builtin_expect(rehearsal_.is_on(), 0)) {
    if (Event* const aside = RecordAside(value, other); aside != nullptr) return aside;
  }
  const PendingOp& op = pending_[self->id];
  Object* const object = reached_object_;
  if (IsUsual(*self)) return RecordUsual(self, op, op.kind, object, value, other);
  Event* const event = recorder_.Add(self, op, object, reached_second_);
  event->value = value;
  event->other = other;
  if (self->granted == Outcome::kTimeout) {
    if (event->kind != OpKind::kSleep) event->flags |= Event::kTimedOut;
    self->granted = Outcome::kNormal;
  }
  if (self->has_awaited) {
    event->flags |= Event::kAwaited;
    self->has_awaited = false;
  }
  if (threads_.size() > 1) {
    races_.Expect(event, event->kind, recorder_.events() - 1, object, reached_second_);
  }
  Recorded(self, event, object);
  if (recorder_.events() >= step_limit_) EndAtLimit();
  return event;
}

void Scheduler::EndAtLimit() {
  if (is_fair_) monitors_.CheckAtEnd(this);
  EndRun({.outcome = RunOutcome::kStepLimit});
}

Event* Scheduler::RecordDirectly(OpKind kind, Object* object, std::uint64_t site,
                                 std::uint8_t size) {
  return RecordDirectlyHere(kind, object, site, size);
}

void Scheduler::ExpectWrite(Event* event, const void* address) {
  if (!recorder_.detail()) return;
  unfinished_write_ = event;
  unfinished_address_ = address;
}

void Scheduler::ReadBack() {
  __builtin_memcpy(&unfinished_write_->value, unfinished_address_,
                   std::min<std::size_t>(unfinished_write_->size, 8));
  unfinished_write_->flags |= Event::kHasValue;
  unfinished_write_ = nullptr;
}

void Scheduler::UseStackOf(const Thread& thread) {
  hot_->minus_own_stack = -thread.shell->range.begin;
  hot_->own_stack_size = thread.shell->range.size;
}

void Scheduler::Activate(Thread* next) {
  current_->call_depth = hot_->call_depth;
  current_ = next;
  hot_->calls = next->calls;
  hot_->call_depth = next->call_depth;
  UseStackOf(*next);
  Sharing::SetRunning(hot_, next->id, is_alone_);
  if (next->is_watched()) Sharing::WatchWrites(hot_);
}

void Scheduler::SwitchTo(Thread* next) {
  Thread* const self = current_;
  Activate(next);
  Shells::Switch(self->shell, next->shell);  // in its place: see Leave in switch/shell.cc
}

}  // namespace heddle
