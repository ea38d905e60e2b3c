#include "runtime/scheduler/running_out.h"

#include "runtime/engine.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {

void RunningOut::Begin(const Channel& channel) {
  is_on_ = true;
  decisions_ = channel.decision_count;
  events_ = channel.event_count;
  objects_ = channel.object_count;
  threads_ = channel.thread_count;
}

void RunningOut::End(Channel* channel) const {
  channel->decision_count = decisions_;
  channel->event_count = events_;
  channel->object_count = objects_;
  channel->thread_count = threads_;
}

std::size_t RunningOut::Choose(const Decision& decision) {
  if (decision.kind != DecisionKind::kThread) return 0;
  const std::size_t count = decision.options.size();
  const PendingOp& op = decision.view->pending[decision.current];
  const int current = IndexOfCurrent(decision);
  if (current >= 0 && !op.spins && op.kind != OpKind::kYield) {
    return static_cast<std::size_t>(current);
  }
  std::size_t next = 0;  // the first behind it, in a ring
  while (next < count && decision.options[next].thread <= decision.current) ++next;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = (next + i) % count;
    if (decision.options[index].outcome == Outcome::kNormal) return index;
  }
  return next % count;
}

void Scheduler::GiveUp(RunOutcome outcome) {
  if (!engine.makes_more_runs || going_on_) EndRun({.outcome = outcome});
  PublishEnd({.outcome = outcome});
  StoreThreads();
  running_out_.Begin(*channel_);
  races_.Stop();
  policy_watches_ = false;
  for (Thread* const thread : awaiting_) thread->stands = false;
  if (!awaiting_.empty()) ReconsiderAwaits();
}

}  // namespace heddle
