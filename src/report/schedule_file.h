// A schedule as a text file: small, readable, committable, good for this build and for others.
//
// For the build it was recorded on it carries the exact answers. For any other build it carries
// anchors: a switch happens where a thread (by path) announces its nth operation of a kind inside a
// line of a function, the line known by the hash of its text. Line numbers and offsets are hints.
//
//   heddle schedule 1
//   program ./lost_update
//   ...
//   point program worker() 5b1c… write lost_update.cpp:9 +0x12f4
//   switch 0.1 write worker() 5b1c… 1 lost_update.cpp:9 -> 0.2
//   answers 2:0x5 3:1
//   checksum 93c1…
//
// docs/schedule-format.md describes every line.
#ifndef HEDDLE_REPORT_SCHEDULE_FILE_H_
#define HEDDLE_REPORT_SCHEDULE_FILE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/finding.h"
#include "symbols/symbolizer.h"
#include "trace/channel.h"
#include "trace/plan.h"
#include "trace/run_trace.h"

namespace heddle {

inline constexpr int kScheduleVersion = 1;

// A source line that survives edits elsewhere.
struct LineAnchor {
  std::string module = "program";  // ModuleName
  std::string function;            // empty = unknown
  std::uint64_t line_hash = 0;     // 0 = unknown
  std::string file;                // hint: base name
  int line = 0;                    // hint

  friend bool operator==(const LineAnchor&, const LineAnchor&) = default;
};

// An access that is a scheduling point, or what else the run had been told (Lesson).
struct SchedulePoint {
  LineAnchor where = {};
  OpKind kind = OpKind::kNone;  // kNone: it never ran in the recorded run
  std::uint32_t offset = 0;     // exact, for the same build; or the Rule
  Lesson lesson = Lesson::kAccess;

  friend bool operator==(const SchedulePoint&, const SchedulePoint&) = default;
};

// A decision that was not "go on": a switch, the choice of a waiter, an outcome.
struct ScheduleSwitch {
  DecisionKind decision = DecisionKind::kThread;
  Outcome outcome = Outcome::kNormal;
  std::string from;  // thread path: who announced `kind` (or asks for a waiter)
  std::string to;    // thread path: who goes on
  OpKind kind = OpKind::kNone;
  bool forced = false;           // `from` could not go on; then occurrence counts such decisions
  std::uint32_t occurrence = 0;  // from 1
  LineAnchor where = {};

  friend bool operator==(const ScheduleSwitch&, const ScheduleSwitch&) = default;
};

struct Schedule {
  std::string program;
  std::vector<std::string> arguments;
  std::string build_id;
  std::string heddle_version;
  std::string explore;  // as of Invocation
  Isolation isolation = Isolation::kProgram;
  std::string strategy;
  std::uint64_t seed = 1;
  std::uint64_t run = 0;
  Points points = Points::kShared;
  Timeouts timeouts = Timeouts::kAny;
  Scope scope;
  std::string kind;         // of the failure, as in JSON; empty = the run passed
  std::string message;      // of the failure, one line
  std::string fingerprint;  // of the failure
  std::uint64_t event_hash = 0;
  std::uint32_t parked = 0;  // failures before that one: who fails there does not go on
  std::vector<SchedulePoint> point_set;
  std::vector<ScheduleSwitch> switches;
  std::vector<Answer> answers;
  std::vector<std::uint8_t> input;  // from outside the program, see trace/input_log.h
  std::uint64_t input_missing = 0;  // bytes of it that were too many

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// `finding` gives program, settings and failure; `points` is the point set the run was made with.
Schedule MakeSchedule(const RunTrace& trace, Symbolizer& symbols, std::span<const SiteRef> points,
                      const Finding& finding);

std::string FormatSchedule(const Schedule& schedule);

// `name` is what error messages call the text (the file's path).
Result<Schedule> ParseSchedule(std::string_view text, std::string_view name);

// A schedule as the runtime takes it.
struct ResolvedSchedule {
  bool same_build = false;            // then replay `answers` with `sites`
  std::vector<Answer> answers;        // prefix, when same_build
  std::vector<SiteRef> sites;         // point set, when same_build
  std::vector<AnchorRecord> anchors;  // otherwise
  std::vector<CodeRange> ranges;      // the first `point_ranges` are scheduling points
  std::uint32_t point_ranges = 0;
  std::vector<std::string> unresolved;  // anchors whose line is gone: "worker() lost_update.cpp:9"
};

// `new_build` is made from the modules of the worker that is to replay. Lines that are gone are
// listed, not an error: the replay then diverges or passes.
Result<ResolvedSchedule> Resolve(const Schedule& schedule, Symbolizer& new_build);

}  // namespace heddle

#endif  // HEDDLE_REPORT_SCHEDULE_FILE_H_
