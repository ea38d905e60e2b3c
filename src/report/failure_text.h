// What went wrong, in words, and where.
#ifndef HEDDLE_REPORT_FAILURE_TEXT_H_
#define HEDDLE_REPORT_FAILURE_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "report/finding.h"
#include "report/run_names.h"
#include "trace/run_trace.h"

namespace heddle {

FindingKind KindOf(const RunTrace& trace);

// A few words for the row of the failing operation: "assertion `x == 2` failed", "SIGSEGV".
std::string FailureHeadline(const RunTrace& trace);

// Where the failing thread was, in the user's code.
Frame FailurePlace(const RunTrace& trace, const RunNames& names);

// An uncaught exception as the C++ library told it on standard error.
struct ThrownException {
  std::string type;  // demangled; empty when nothing was said
  std::string what;

  friend bool operator==(const ThrownException&, const ThrownException&) = default;
};
ThrownException ParseTerminateMessage(std::string_view output);

// One line. `states` are StatesAtEnd, for a deadlock.
std::string FailureMessage(const RunTrace& trace, const RunNames& names,
                           const std::vector<std::string>& states, const FindingContext& context);

// The places a finding is about: the failing one, or every thread's of a deadlock.
std::vector<Frame> FailurePlaces(const RunTrace& trace, const RunNames& names);

// Stacks that the failure is about beside the threads': who used, freed and allocated the memory.
std::vector<FindingStack> FailureStacks(const RunTrace& trace, const RunNames& names);

// "SIGSEGV"; "signal 99" for those without a name.
std::string SignalName(int signal);

}  // namespace heddle

#endif  // HEDDLE_REPORT_FAILURE_TEXT_H_
