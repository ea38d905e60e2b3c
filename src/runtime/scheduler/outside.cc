// What reaches a thread from elsewhere: interruptions by other threads, and bytes from outside.
#include "runtime/interpose/outside.h"

#include <signal.h>
#include <time.h>

#include "base/raw_syscall.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/signal_delivery.h"
#include "runtime/interpose/sockets.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

constexpr timespec kMoment = {0, 1'000'000};
constexpr timespec kAtOnce = {0, 0};
constexpr timespec kPatience = {2, 0};  // of a replay: its children run natively, too
constexpr int kGrace = 20;  // moments that a peer outside has before virtual time passes

// While nobody in the program can go on, its handlers must not run in the middle of the scheduler,
// and may be what somebody waits for. Signals are held back as long as this lives, and taken.
class HeldSignals {
 public:
  explicit HeldSignals(Scheduler* scheduler) : scheduler_(scheduler), signals_(SignalsOfSystem()) {
    if (signals_ != 0) SetMask(SIG_BLOCK, &signals_, &before_);
  }
  ~HeldSignals() {
    if (signals_ == 0) return;
    while (TakeWithin(kAtOnce)) continue;
    SetMask(SIG_SETMASK, &before_, nullptr);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Returns sooner if one comes. True: somebody has got it.
  bool TakeWithin(const timespec& time) {
    siginfo_t info;
    const long taken =
        RawSyscall(SYS_rt_sigtimedwait, reinterpret_cast<long>(&signals_),
                   reinterpret_cast<long>(&info), reinterpret_cast<long>(&time), sizeof signals_);
    if (taken <= 0) return false;
    ReceiveFromSystem(scheduler_, info);
    return true;
  }
  bool IsEmpty() const { return signals_ == 0; }

 private:
  static void SetMask(long how, const std::uint64_t* to, std::uint64_t* before) {
    RawSyscall(SYS_rt_sigprocmask, how, reinterpret_cast<long>(to), reinterpret_cast<long>(before),
               sizeof *to);
  }

  Scheduler* const scheduler_;
  const std::uint64_t signals_;
  std::uint64_t before_ = 0;
};

}  // namespace

void Scheduler::Interrupt(Thread* thread, bool at_any_operation) {
  if (!at_any_operation && (thread == current_ || !thread->is_interruptible)) return;
  thread->interruption =
      at_any_operation ? Interruption::kAnywhere : Interruption::kWhereInterruptible;
  if (thread == current_) return;
  EndWait(thread);
}

void Scheduler::InterruptWaiting(Thread* thread) {
  thread->interruption = Interruption::kAnywhere;
  EndWait(thread);
}

void Scheduler::EndWait(Thread* thread) {
  if (!thread->started || IsEnabled(thread->id)) return;
  SetTimed(thread->id, false);
  if (IsPoint(pending_[thread->id].kind)) {
    SetEnabled(thread->id, true);
  } else {
    SetEager(thread->id, true);
  }
}

Delivered Scheduler::Attend() {
  Thread* const self = current_;
  self->needs_attention = false;
  self->interruption = Interruption::kNone;
  const Delivered delivered = DeliverSignals(this);
  TestAsyncCancel(this);
  return delivered;
}

void Scheduler::LimitIoWaits(std::uint64_t time) {
  for (Thread* thread : threads_) {
    if (thread->ended || thread == current_ || thread->io_ready == nullptr) continue;
    PendingOp& op = pending_[thread->id];
    if (op.timed() && thread->deadline <= time) continue;
    op.SetTimed(true);
    thread->deadline = time;
    if (!IsEnabled(thread->id)) SetTimed(thread->id, true);
  }
}

void Scheduler::ActsOn(const Thread* thread, OpKind kind, std::uint8_t order, Object* object,
                       Object* second) {
  PendingOp& op = pending_[thread->id];
  op.kind = kind;
  op.order = order;
  op.object = object->id;
  op.second = second == nullptr ? kNoObject : second->id;
  recorder_.Announce(object);
  recorder_.Announce(second);
  if (thread == current_) SetReached(object, second);
}

void Scheduler::ActOnInstead(const Object* from, Object* to) {
  recorder_.Announce(to);
  for (const Thread* thread : threads_) {
    PendingOp& op = pending_[thread->id];
    if (thread != current_ && op.object == from->id) op.object = to->id;
  }
}

// Whoever waits asks again when an operation was seen that might have changed the answer. Where
// bytes went through a descriptor inside libc, nobody saw it: that is no deadlock.
bool Scheduler::FindUnseenBytes() {
  if (timed_count_ > 0) return false;
  Reconsider(IoObject());
  if (enabled_count_ == 0) return false;
  for (const Thread* thread : threads_) {
    if (!IsEnabled(thread->id)) continue;
    Uncontrolled("bytes that went through a descriptor unseen",
                 "who waits for them goes on only when nobody else can", pending_[thread->id].site);
    break;
  }
  return true;
}

// Something may be on its way between sockets of the program: a moment later it has arrived.
bool Scheduler::AwaitNetwork() {
  if (!UsesNetwork()) return FindUnseenBytes();
  for (int i = 0; i < kGrace; ++i) {
    Reconsider(IoObject());
    if (enabled_count_ > 0) return true;
    if (timed_count_ > 0) return false;
    RawSyscall(SYS_nanosleep, reinterpret_cast<long>(&kMoment), 0);
  }
  return false;
}

// Nobody in the program can go on by himself. Returns when somebody can, or nobody outside is
// expected to help; the watchdog ends a run that waits in vain.
bool Scheduler::AwaitOutside() {
  Thread* listener = nullptr;
  for (Thread* thread : threads_) {
    if (!thread->ended && thread->io_ready != nullptr && thread->hears_outside) listener = thread;
  }
  if (listener == nullptr || listener->blocked_on == nullptr) return AwaitNetwork();
  Uncontrolled("waiting for somebody outside the program",
               "the run waits in real time; what comes is recorded, and fed back in a replay",
               pending_[listener->id].site);
  HeldSignals signals(this);
  for (int i = 0; timed_count_ == 0 || i < kGrace; ++i) {
    Reconsider(listener->blocked_on);
    if (enabled_count_ + eager_count_ > 0) return true;
    if (!outside::IsFed()) {
      signals.TakeWithin(kMoment);
    } else if (!outside::MayStillAnswer()) {
      const bool may_wait = timed_count_ == 0 && !signals.IsEmpty();
      if (!may_wait || !signals.TakeWithin(kPatience)) break;
    }
  }
  // What was recorded is used up, and nobody knows what would have come next.
  if (timed_count_ == 0) EndRun({.outcome = RunOutcome::kDiverged, .diverged_at = replay_.at()});
  return false;
}

}  // namespace heddle
