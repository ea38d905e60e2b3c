// Orders that a run does not show, and that a search which learns from it therefore does not try.
#include <algorithm>

#include "strategy/run_order.h"
#include "trace/channel_use.h"

namespace heddle {

// A thread that could not go on was cancelled: what might have let it go on first did not. Nothing
// else ends a sleep, or a wait for a semaphore that has nothing to give, so that it fails. Or it
// was cancelled before it waited for a condition, and did not.
bool RunOrder::IsCancelledWait(const Event& event) const {
  const Step by = threads_[event.thread].disturbed_by;
  const bool is_at_once = by != kNone && steps_[by].kind == OpKind::kCancel;
  if (event.kind == OpKind::kCancelled) return is_at_once;
  if ((event.flags & Event::kFailed) == 0) return false;
  return event.kind == OpKind::kWake || (event.kind == OpKind::kSemWait && event.value == 0) ||
         (IsIo(event.kind) && is_at_once);
}

void RunOrder::NoteClock(Step i) {
  const StepInfo& step = steps_[i];
  const bool reads = step.kind == OpKind::kClock || step.kind == OpKind::kTime;
  const bool moves = step.kind == OpKind::kSleep || (step.flags & Event::kTimedOut) != 0;
  if (!reads && !moves) return;
  std::vector<Step>* const steps = reads ? &clock_reads_ : &clock_moves_;
  while (!steps->empty() && steps->back() >= i) steps->pop_back();  // of another run
  steps->push_back(i);
}

bool RunOrder::MightBeExchanged(Step a, Step b) const {
  return steps_[a].thread != steps_[b].thread && !PrecedesStart(std::min(a, b), std::max(a, b));
}

// Before Rule::kClock is known, and of the time-stamp counter always.
bool RunOrder::HidesClock() const {
  for (const Step read : clock_reads_) {
    if (read >= events_) break;
    if (steps_[read].kind != OpKind::kClock) continue;
    for (const Step move : clock_moves_) {
      if (move >= events_) break;
      if (MightBeExchanged(read, move)) return true;
    }
  }
  return false;
}

// What is read only to tell from when on to wait differs in nothing that the program sees.
bool RunOrder::BeginsTimedWait(Step read) const {
  const ThreadId thread = steps_[read].thread;
  Step next = read + 1;
  while (next < events_ && steps_[next].thread != thread) ++next;
  if (next == events_) next += thread;
  return steps_[next].kind == OpKind::kSleep || (steps_[next].flags & Event::kMayTimeOut) != 0;
}

bool RunOrder::SeesTime() const {
  return std::any_of(clock_reads_.begin(), clock_reads_.end(),
                     [this](Step read) { return read < events_ && !BeginsTimedWait(read); });
}

// Where the program sees how late it is anywhere, when a wait begins matters, too: it ends that
// much later.
bool RunOrder::HidesIoTime() const {
  for (const Step move : clock_moves_) {
    if (move >= events_) break;
    if (!IsIo(steps_[move].kind)) continue;
    for (const Step read : clock_reads_) {
      if (read >= events_) break;
      if (steps_[read].kind == OpKind::kTime && MightBeExchanged(read, move)) return SeesTime();
    }
  }
  return false;
}

}  // namespace heddle
