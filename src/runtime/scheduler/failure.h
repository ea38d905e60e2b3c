// How a run ends early: a failure, a limit, a divergence. Everything of interest goes into the
// channel first.
#ifndef HEDDLE_RUNTIME_SCHEDULER_FAILURE_H_
#define HEDDLE_RUNTIME_SCHEDULER_FAILURE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/records.h"

namespace heddle {

class Scheduler;
struct Object;
struct Thread;

struct RunEnd {
  RunOutcome outcome = RunOutcome::kNone;
  std::uint32_t diverged_at = 0;
  int status = 0;
  bool body_returned = false;  // of a test in this process
};

// Writes the run's record; the process goes on (to its ordinary end).
void PublishEnd(const RunEnd& end);

// Writes the record and ends the process at once.
[[noreturn]] void EndRun(const RunEnd& end);

// The calling thread's run has failed: stacks, pending operations, record, end. Never allocates.
[[noreturn]] void FailRun(const Failure& failure);

// Nobody can go on (`cycle` empty), or the threads of `cycle` wait for each other.
[[noreturn]] void ReportDeadlock(Scheduler* scheduler, std::span<const ThreadId> cycle);

// The running thread does to `object` what nobody may do to it, where POSIX promises no error code.
[[noreturn]] void ReportMisuse(Scheduler* scheduler, const Object* object, std::string_view what);

// Nobody can go on, and `thread` is in a loop that can't end (scheduler/spin.h).
[[noreturn]] void ReportLivelock(const Thread& thread);

// A message with %-style formatting into a fixed field.
void SetText(char* field, std::size_t size, std::string_view text);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_FAILURE_H_
