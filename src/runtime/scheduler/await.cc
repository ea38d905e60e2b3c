// The scheduler's side of busy waiting: an awaiting thread is disabled while what it reads stays
// the same. Values are compared at every choice, so it does not matter who changed them, or how.
#include <algorithm>
#include <cstdio>

#include "runtime/engine.h"
#include "runtime/memory/sharing.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

extern "C" void* __libc_stack_end;

namespace heddle {
namespace {

constexpr std::uint64_t kMainStack = std::uint64_t{1}
                                     << 30;  // no more than that of it is looked at

// Up to the frame that called the thread's function: above it lies the control block, which the
// kernel writes to (the number of the processor, for restartable sequences).
StackBounds StackOf(const Thread& thread) {
  const Shell& shell = *thread.shell;
  if (shell.stack_top != 0) return {shell.slot_base, thread.unwind_limit};
  const auto end = reinterpret_cast<std::uint64_t>(__libc_stack_end);
  return {end - kMainStack, end};
}

}  // namespace

bool Scheduler::ComesRound(Thread* thread) {
  const bool was_watched = thread->spin.is_watched();
  // Without plain accesses nobody can tell whether the loop writes. Inside the linker nobody else
  // runs. The last thread waits for ever, unless somebody whom heddle does not control can help.
  const bool may_await = channel_->config.awaits != 0 && !thread->never_awaits &&
                         hot_->check_access != 0 && held_ == 0 &&
                         (live_count_ > 1 || channel_->uncontrolled_count == 0);
  const bool awaits = thread->spin.ComeRound(StackOf(*thread), may_await);
  if (thread->spin.is_watched() != was_watched) {
    Sharing::SetRunning(hot_, thread->id, is_alone_);
    if (!was_watched) Sharing::WatchWrites(hot_);
  }
  if (rehearsal_.is_on()) awaits ? DropAside() : EnterAside();
  return awaits;
}

void Scheduler::NoteWriteInLoop(const void* address) {
  current_->spin.Wrote(address, StackOf(*current_));
}

void Scheduler::ReconsiderAwaits() {
  for (const Thread* thread : awaiting_) {
    // A signal or a cancellation is to be attended to, whatever the loop reads.
    const bool can = thread->interruption != Interruption::kNone ||
                     (thread->spin.HasChanged() &&
                      CanProceed(*thread, pending_[thread->id], thread->blocked_on));
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
