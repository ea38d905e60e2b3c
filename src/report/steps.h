// The events of a run as steps that can be shown.
#ifndef HEDDLE_REPORT_STEPS_H_
#define HEDDLE_REPORT_STEPS_H_

#include <vector>

#include "report/finding.h"
#include "report/run_names.h"
#include "trace/run_trace.h"

namespace heddle {

// Of a run with more events only what lies near switches is kept, and no more than this.
inline constexpr std::size_t kMostSteps = 4000;

// Events in order (but not the starts of threads, which say no more than their creation), then what
// the threads of the failure were about to do.
std::vector<Step> StepsOf(const RunTrace& trace, const RunNames& names);

// "= 3", "timed out", "failed"; empty = unknown.
std::string ValueOf(const Event& event, const RunNames& names);

// The same for a fault that the run survived: up to the last of the events that it is, which are
// marked as failures.
std::vector<Step> StepsOf(const RunTrace& trace, const RunNames& names,
                          const std::vector<std::uint32_t>& fault);

}  // namespace heddle

#endif  // HEDDLE_REPORT_STEPS_H_
