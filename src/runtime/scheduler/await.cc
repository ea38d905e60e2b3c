// The scheduler's side of busy waiting: an awaiting thread is disabled while what it reads stays
// the same. Values are compared at every choice, so it does not matter who changed them, or how.
#include <algorithm>
#include <cstdio>

#include "runtime/engine.h"
#include "runtime/memory/sharing.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/reaching.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/unseen_wait.h"

extern "C" void* __libc_stack_end;

namespace heddle {
namespace {

constexpr std::uint64_t kMainStack = std::uint64_t{1}
                                     << 30;  // no more than that of it is looked at

// Up to the frame that called the thread's function: above it lies the control block, which the
// kernel writes to (the number of the processor, for restartable sequences).
AddressRange StackOf(const Thread& thread) {
  const Shell& shell = *thread.shell;
  if (shell.stack_top != 0) return {shell.slot_base, shell.unwind_limit - shell.slot_base};
  return {reinterpret_cast<std::uint64_t>(__libc_stack_end) - kMainStack, kMainStack};
}

}  // namespace

// Without plain accesses nobody can tell whether the loop writes. Inside the linker nobody else
// runs. The last thread waits for ever, unless somebody whom heddle does not control can help.
bool Scheduler::MayAwait(const Thread& thread) const {
  return (hot_->when_active & HEDDLE_SEES_ACCESSES) != 0 && MayStandStill(thread);
}

bool Scheduler::MayStandStill(const Thread& thread) const {
  const std::uint32_t own = has_told_unseen_ ? 1 : 0;  // helps nobody
  return channel_->config.awaits != Awaits::kOff && !thread.never_awaits && held_ == 0 &&
         (live_count_ > 1 || channel_->uncontrolled_count == own);
}

// The running thread is watched as it is now.
void Scheduler::Watch(const Thread& thread, bool was_watched) {
  const bool is_watched = thread.is_watched();
  if (is_watched == was_watched) return;
  Sharing::SetRunning(hot_, thread.id, is_alone_);
  if (is_watched) Sharing::WatchWrites(hot_);
}

bool Scheduler::ComesRound(Thread* thread) {
  const bool was_watched = thread->is_watched();
  const std::uint64_t site = pending_[thread->id].site;
  const bool awaits = thread->spin.ComeRound(StackOf(*thread), MayAwait(*thread));
  Watch(*thread, was_watched);
  if (awaits && channel_->config.awaits == Awaits::kLearn) Loops::Report(site, channel_);
  if (rehearsal_.is_on()) awaits ? DropAside() : EnterAside();
  return awaits;
}

bool Scheduler::ComesToKnownLoop(Thread* thread, std::uint64_t site) {
  if (thread->spin.is_rehearsing() || running_out_.is_on() || !Loops::Knows(site)) return false;
  const bool was_watched = thread->is_watched();
  if (thread->rounds == nullptr) thread->rounds = Rounds::Of(thread->id);
  if (MayAwait(*thread)) {
    // Where nothing is inlined, different loops read in the same function.
    constexpr std::uint64_t kMask = (std::uint64_t{1} << HEDDLE_CALL_BITS) - 1;
    const std::uint64_t depth = hot_->call_depth;
    const std::uint64_t caller = depth == 0 ? 0 : hot_->calls[(depth - 1) & kMask];
    thread->stands = thread->rounds->Arrive(site, depth, static_cast<std::uint32_t>(caller),
                                            StackOf(*thread), &thread->spin);
  } else {
    thread->rounds->Leave();
  }
  if (thread->stands) thread->rounds->Leave();  // the round is in `spin` from now on
  Watch(*thread, was_watched);
  return thread->stands;
}

void Scheduler::TellRounds(Thread* thread) {
  const bool was_watched = thread->is_watched();
  thread->rounds->Did(*thread->last_event, thread->last_object, thread->changed_nothing);
  Watch(*thread, was_watched);
}

void Scheduler::NoteWriteInLoop(const void* address) {
  const AddressRange stack = StackOf(*current_);
  current_->spin.Wrote(address, stack);
  if (current_->rounds == nullptr) return;
  current_->rounds->Wrote(address, stack);
  Watch(*current_, true);
}

void Scheduler::LookForUnseenWait(const Site& site, const void* address, bool is_write) {
  if (held_ > 0) return;
  UnseenWait::Look(this, site, address, is_write, StackOf(*current_));
}

std::uint64_t Scheduler::HashOfStackFrom(std::uint64_t stack_pointer, std::uint64_t hash) const {
  return HashOfStack(stack_pointer, StackOf(*current_), hash);
}

void Scheduler::GoRoundUnseen(std::uint64_t site, std::uint64_t state) {
  Thread* const self = current_;
  if (self->needs_attention) Attend();
  const Reaching round = {.kind = OpKind::kYield, .site = site};
  CompleteWrite();
  Announce(round.kind, nullptr, site, 0, 0, &pending_[self->id]);
  TellSpin(self);
  if (!has_told_unseen_) {
    Uncontrolled(kUnseenLoopName,
                 "the others go on, but not all orders of what it reads and writes are tried; what "
                 "it orders may look like a race",
                 site);
    has_told_unseen_ = true;
  }
  const bool is_fruitless = self->spin.ComeRoundUnseen(site, state, Progress());
  const bool awaits = is_fruitless && MayStandStill(*self);
  if (rehearsal_.is_on()) awaits ? DropAside() : EnterAside();
  Outcome outcome = GoOnOrWait(round, awaits);
  if (self->needs_attention || outcome == kInterrupted) AttendTo(round, outcome);
  const bool is_aside = rehearsal_.is_on();
  Record()->flags |= Event::kUnseen;
  if (!is_aside) ++unseen_rounds_;
}

bool Scheduler::IsOvertaken() const {
  return std::any_of(awaiting_.begin(), awaiting_.end(), [](const Thread* thread) {
    return thread->stands && thread->spin.IsOverwritten();
  });
}

void Scheduler::ReconsiderAwaits() {
  for (const Thread* thread : awaiting_) {
    // A signal or a cancellation is to be attended to, whatever the loop reads. Who stands goes on
    // only for a change that no event shows, so that no other run does.
    const bool can =
        thread->interruption != Interruption::kNone ||
        (thread->spin.HasChanged(Progress()) && !(thread->stands && thread->spin.IsOverwritten()) &&
         CanProceed(*thread, pending_[thread->id].kind, thread->blocked_on));
    SetEnabled(thread->id, can);
  }
}

void ReportLivelock(const Thread& thread) {
  Failure failure;
  failure.kind = FailureKind::kLivelock;
  failure.thread = thread.id;
  SetText(failure.message, sizeof failure.message,
          "it waits in a loop for a value that nobody can change any more");
  engine.hot.active = 0;
  std::fflush(nullptr);
  FailRun(failure);
}

}  // namespace heddle
