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

void RunOrder::NoteClock(Step i, std::vector<Step>* steps) {
  while (!steps->empty() && steps->back() >= i) steps->pop_back();  // of another run
  steps->push_back(i);
}

// What is read only to tell from when on to wait differs in nothing that the program sees.
bool RunOrder::BeginsTimedWait(Step read) const {
  const ThreadId thread = steps_[read].thread;
  Step next = read + 1;
  while (next < events_ && steps_[next].thread != thread) ++next;
  if (next == events_) next += thread;
  return steps_[next].kind == OpKind::kSleep || (steps_[next].flags & Event::kMayTimeOut) != 0;
}

// Reading the clock is no point, so nobody lets it go on before that.
bool RunOrder::HidesClock() const {
  for (const Step read : clock_reads_) {
    if (read >= events_) break;
    if (BeginsTimedWait(read)) continue;
    for (const Step move : clock_moves_) {
      if (move >= events_) break;
      if (steps_[move].thread == steps_[read].thread) continue;
      if (!PrecedesStart(std::min(read, move), std::max(read, move))) return true;
    }
  }
  return false;
}

// What runs at once behind a point, a clock read among it, is one piece with that point. Time that
// could as well pass before the point is let pass there by another run; what needs the point first
// never comes before the read.
bool RunOrder::HidesClockBehindPoint() const {
  for (const Step read : clock_reads_) {
    if (read >= events_) break;
    if (BeginsTimedWait(read)) continue;
    const std::span<const Step> later = PointsFrom(read);
    const std::size_t earlier = point_count_ - later.size();
    const Step point = earlier == 0 ? kNone : points_[earlier - 1];
    for (const Step move : clock_moves_) {
      if (move >= events_) break;
      if (move < read || steps_[move].thread == steps_[read].thread) continue;
      if (PrecedesStart(read, move)) continue;
      // A sleep ends whatever the others do, once it has begun; another wait may be so long because
      // of what the point did.
      const bool needs_point =
          point == kNone || (steps_[move].kind == OpKind::kSleep ? PrecedesStart(point, move)
                                                                 : HappensBefore(point, move));
      if (needs_point) return true;
    }
  }
  return false;
}

}  // namespace heddle
