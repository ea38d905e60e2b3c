// A finished run as the controller sees it: checked views of its records.
//
// The records come from a process that may have scribbled over them. Whoever makes a RunTrace has
// checked that every index in it is in range (explore/validate.h); readers need not check again.
#ifndef HEDDLE_TRACE_RUN_TRACE_H_
#define HEDDLE_TRACE_RUN_TRACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "trace/plan.h"
#include "trace/records.h"

namespace heddle {

struct RunTrace {
  RunRecord record;
  Failure failure;
  std::span<const DecisionRecord> decisions;
  std::span<const Event> events;          // may be empty: a batch of runs keeps only the last one's
  std::span<const ObjectRecord> objects;  // by ObjectId; [0] unused
  std::span<const ThreadRecord> threads;  // by ThreadId
  std::span<const StackRecord> thread_stacks;  // by ThreadId; at the failure
  std::span<const StackRecord> event_stacks;  // by event; empty unless the run was asked for detail
  std::span<const std::uint64_t> frames;
  std::span<const Sighting> sightings;  // that no run of the worker saw before this one
  std::span<const std::uint8_t> input;  // from outside, see trace/input_log.h
  std::uint64_t input_missing = 0;      // bytes of it that were too many to keep
};

// The answers of a run, ready to be a Plan's prefix.
inline std::vector<Answer> AnswersOf(const RunTrace& trace) {
  std::vector<Answer> answers;
  answers.reserve(trace.decisions.size());
  for (const DecisionRecord& d : trace.decisions) answers.push_back({d.chosen, d.options});
  return answers;
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_RUN_TRACE_H_
