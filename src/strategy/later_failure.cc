#include "strategy/later_failure.h"

#include <algorithm>
#include <vector>

#include "strategy/road.h"
#include "strategy/run_order.h"

namespace heddle {
namespace {

using Step = RunOrder::Step;

// The threads whose operations together are the failure.
std::vector<ThreadId> ThreadsOf(const Failure& failure) {
  if (failure.kind != FailureKind::kDeadlock) return {failure.thread};
  return {failure.cycle, failure.cycle + failure.cycle_length};
}

}  // namespace

Plan PlanToFailure(const RunTrace& trace, const LaterFailure& later, const Plan& of_run) {
  RunOrder order;
  order.Build(trace);
  const auto end = static_cast<Step>(std::min<std::uint64_t>(later.events, order.events()));
  const std::vector<ThreadId> threads = ThreadsOf(later.failure);
  std::vector<Step> lasts;
  for (const ThreadId thread : threads) {
    Step last = end;
    while (last-- > 0 && order[last].thread != thread) {
    }
    if (last < end) lasts.push_back(last);
  }
  Road road;
  for (Step step = 0; step < end; ++step) {
    const bool is_needed = std::any_of(lasts.begin(), lasts.end(), [&](Step last) {
      return step == last || order.HappensBefore(step, last);
    });
    if (!is_needed || !order[step].is_point) continue;
    road.steps.push_back({.path = trace.threads[order[step].thread].path_hash});
    const RunOrder::Choices choices = order.ChoicesOf(step);
    for (std::uint32_t c = 0; c < choices.count; ++c) {
      const DecisionRecord& decision = trace.decisions[choices.first + c];
      const bool takes = order.IsMessageChoice(decision);
      road.steps.push_back({.path = trace.threads[decision.thread].path_hash,
                            .wakes = takes ? RoadStep::kTakes + order.MessageOf(step).nth : 1u});
    }
  }
  // Some fail in what they are about to do, before it becomes an event.
  if (later.failure.kind != FailureKind::kDeadlock) {
    road.steps.push_back({.path = trace.threads[later.failure.thread].path_hash});
  }
  Plan plan;
  plan.run = of_run.run;
  plan.seed = of_run.seed;
  plan.policy = "optimal-dpor";
  WriteRoad(road, {}, &plan);
  return plan;
}

}  // namespace heddle
