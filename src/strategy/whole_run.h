// What an exhaustive search asks of a run before it believes what the run shows.
#ifndef HEDDLE_STRATEGY_WHOLE_RUN_H_
#define HEDDLE_STRATEGY_WHOLE_RUN_H_

#include <algorithm>
#include <cstddef>

#include "trace/plan.h"
#include "trace/run_trace.h"

namespace heddle {

// The run came to its end and the trace has all of its decisions.
inline bool IsWhole(const RunTrace& trace) {
  const RunOutcome outcome = trace.record.outcome;
  if (outcome != RunOutcome::kExited && outcome != RunOutcome::kFailed &&
      outcome != RunOutcome::kOvertaken) {
    return false;
  }
  if (trace.record.failure == FailureKind::kWatchdog) return false;
  return trace.decisions.size() >= trace.record.decisions;
}

inline bool FollowsPrefix(const Plan& plan, const RunTrace& trace) {
  if (trace.decisions.size() < plan.prefix.size()) return false;
  for (std::size_t i = 0; i < plan.prefix.size(); ++i) {
    const DecisionRecord& decision = trace.decisions[i];
    if (plan.prefix[i] != Answer{decision.chosen, decision.options}) return false;
  }
  return true;
}

// ... and all of its events, too.
inline bool HasAllEvents(const RunTrace& trace) {
  return IsWhole(trace) && trace.record.truncated == 0 &&
         trace.events.size() >= trace.record.events;
}

// It hung where nobody sees it, and was ended; all that it did till then is in the trace. The
// thread that hung (Failure::thread) has no next operation.
inline bool IsHung(const RunTrace& trace) {
  return trace.record.outcome == RunOutcome::kFailed &&
         trace.record.failure == FailureKind::kWatchdog && trace.record.truncated == 0 &&
         trace.decisions.size() >= trace.record.decisions &&
         trace.events.size() >= trace.record.events;
}

// A failure may end a run while others could still go on: what they would have done is unknown.
inline bool WasCutShort(const RunTrace& trace) {
  return trace.record.outcome == RunOutcome::kFailed && trace.record.ran_on != kRanToTheEnd &&
         std::any_of(trace.threads.begin(), trace.threads.end(), [](const ThreadRecord& thread) {
           return thread.ended == 0 && thread.enabled != 0;
         });
}

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_WHOLE_RUN_H_
