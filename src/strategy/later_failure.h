// A schedule that leads straight to what failed second.
//
// Behind a failure the other threads go on (Search::WantsWholeRuns), and another of them may fail,
// too. Its failure has a run of its own: what must come before it, and nothing else. Where what the
// first thread did last is among that, there is none: the first failure comes first in any
// schedule.
#ifndef HEDDLE_STRATEGY_LATER_FAILURE_H_
#define HEDDLE_STRATEGY_LATER_FAILURE_H_

#include "trace/channel.h"
#include "trace/plan.h"
#include "trace/run_trace.h"

namespace heddle {

// `trace` is that of the whole run, behind its first failure included.
Plan PlanToFailure(const RunTrace& trace, const LaterFailure& later, const Plan& of_run);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_LATER_FAILURE_H_
