// A finding: one fault of the tested program, with everything needed to understand and repeat it.
//
// Built once, from the trace of a detailed replay and the symbols of that worker; from then on it
// holds no addresses that matter and no pointers into the run. Stored by finding_store.h, drawn by
// table.h and text.h, written for scripts by json.h.
#ifndef HEDDLE_REPORT_FINDING_H_
#define HEDDLE_REPORT_FINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "symbols/symbolizer.h"
#include "trace/channel.h"
#include "trace/op.h"
#include "trace/run_trace.h"

namespace heddle {

enum class Severity : std::uint8_t { kError, kWarning };

// X(enumerator, name in JSON and ids, severity, what a person calls it)
#define HEDDLE_FINDING_KINDS(X)                                      \
  X(kAssertion, "assertion", kError, "assertion failed")             \
  X(kCrash, "crash", kError, "crash")                                \
  X(kException, "exception", kError, "uncaught exception")           \
  X(kDeadlock, "deadlock", kError, "deadlock")                       \
  X(kLivelock, "livelock", kError, "no progress")                    \
  X(kRace, "race", kError, "data race")                              \
  X(kUseAfterFree, "use-after-free", kError, "use after free")       \
  X(kDoubleFree, "double-free", kError, "double free")               \
  X(kInvalidFree, "invalid-free", kError, "invalid free")            \
  X(kMisuse, "misuse", kError, "misuse of a primitive")              \
  X(kExit, "exit", kError, "wrong exit status")                      \
  X(kOutput, "output", kError, "wrong output")                       \
  X(kLinearizability, "linearizability", kError, "not linearizable") \
  X(kLiveness, "liveness", kError, "liveness property violated")     \
  X(kLockOrder, "lock-order", kWarning, "locks taken in opposite orders")

enum class FindingKind : std::uint8_t {
#define HEDDLE_X(name, text, severity, title) name,
  HEDDLE_FINDING_KINDS(HEDDLE_X)
#undef HEDDLE_X
};

struct FindingKindInfo {
  std::string_view name;
  Severity severity;
  std::string_view title;
};
const FindingKindInfo& InfoOf(FindingKind kind);
std::optional<FindingKind> FindingKindByName(std::string_view name);

struct FindingSite {
  std::string file;  // relative to the working directory when it lies below it
  int line = 0;
  std::string function;
  std::string text;  // of the line, without white space at the ends

  friend bool operator==(const FindingSite&, const FindingSite&) = default;
};

// A thread of the failing run.
struct FindingThread {
  ThreadId id = kMainThread;
  std::string path;   // "0.2"
  std::string name;   // "main", "T2"
  std::string label;  // the name it gave itself, or else the function it runs; may be empty
  std::string state;  // at the failure: "waits for mutex m, held by main"; empty = could run
  bool ended = false;
  std::vector<Frame> stack;  // at the failure, innermost first; empty when it had ended

  friend bool operator==(const FindingThread&, const FindingThread&) = default;
};

// A stack that belongs to the finding, beside those of the threads.
struct FindingStack {
  std::string title;  // "T2 writes counter = 3", "allocated by main"
  std::vector<Frame> frames;

  friend bool operator==(const FindingStack&, const FindingStack&) = default;
};

// Why another thread went on before a step.
enum class SwitchReason : std::uint8_t {
  kNone,       // the same thread went on, or nobody had run yet
  kPreempted,  // the thread before could have gone on
  kBlocked,    // it could not
  kExited,     // it had ended
  kTimeout,    // it was chosen to time out
};

// One operation of the failing run, ready to be shown.
struct Step {
  std::uint64_t number = 0;  // of the operation, from 1; starts of threads do not count
  ThreadId thread = kMainThread;
  OpKind kind = OpKind::kNone;
  std::string object;  // "counter", "mutex m"; empty = none
  std::string value;   // "= 3", "timed out", "failed"; empty = unknown
  std::string note;    // "wakes T2", "chosen of 3 waiters"
  std::string function;
  std::string file;  // as in Frame
  int line = 0;
  SwitchReason reason = SwitchReason::kNone;  // of the switch to this thread
  ThreadId from = kNoThread;                  // who was switched away from
  std::string reason_detail;                  // "mutex m"
  bool is_failure = false;                    // the failing operation
  bool never_done = false;                    // announced, but the thread never went on

  friend bool operator==(const Step&, const Step&) = default;
};

// How the program was started and built.
struct Invocation {
  std::string program;                 // absolute path of what was run
  std::vector<std::string> arguments;  // without the program
  std::vector<std::string> sources;    // when heddle compiled it; as typed in working_directory
  std::string working_directory;
  std::vector<std::string> environment;  // "NAME=value"
  std::string stdin_path;                // empty = no input
  std::string stdin_contents;            // what was read from there
  std::string build_id;                  // hexadecimal
  std::string compiler_line;             // empty = not compiled by heddle
  std::string cxxflags;                  // of `heddle run`, to compile the sources again
  std::string ldflags;
  std::string heddle_version;
  std::string explore;  // the test whose heddle::Explore it was, or that call's place; empty = the
                        // whole program
  std::string test;     // the test case that was searched alone (--each-test)

  friend bool operator==(const Invocation&, const Invocation&) = default;
};

// What of the program's runs is searched, where that is not all of it.
struct Scope {
  std::vector<std::string> focus, ignore;  // files, functions, modules: see symbols/code_finder.h
  std::string start_at;                    // the function where runs begin
  bool spurious_wakeups = false;
  bool awaits = true;  // busy waiting counts as blocked (await=off of a strategy)

  friend bool operator==(const Scope&, const Scope&) = default;
};

// How the search ran that found it.
struct SearchSettings {
  std::string strategy = "random";  // as written: "pct:depth=3"
  std::uint64_t seed = 1;
  Backend backend = Backend::kFiber;
  Points points = Points::kShared;
  Timeouts timeouts = Timeouts::kAny;
  Reuse reuse = Reuse::kNever;
  std::uint64_t max_steps = 0;
  std::uint64_t memory_bytes = 0;
  int expected_exit = 0;
  std::optional<std::uint64_t> expected_output;  // its hash
  Isolation isolation = Isolation::kProgram;
  Scope scope;

  friend bool operator==(const SearchSettings&, const SearchSettings&) = default;
};

struct Finding {
  std::string id;  // given by the store
  FindingKind kind = FindingKind::kCrash;
  Severity severity = Severity::kError;
  std::string fingerprint;  // no line numbers, addresses or run numbers
  std::string message;      // one line
  std::vector<FindingSite> sites;
  std::uint64_t hits = 1;
  std::uint64_t first_run = 0;
  bool replayed = false;
  std::string replay_note;         // why not, with the first diverging step
  bool schedule_dependent = true;  // false: it also fails without any preemption
  bool needs_early_timeout = false;
  std::string schedule;  // path relative to --out; given by the store

  Invocation invocation;
  SearchSettings search;
  std::string output;  // of the failing run, bounded
  std::uint64_t events = 0;
  std::uint64_t decisions = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t event_hash = 0;
  std::vector<FindingStack> stacks;
  std::vector<FindingThread> threads;  // by ThreadId
  std::vector<Step> steps;             // of a very long run only the beginning and the end

  friend bool operator==(const Finding&, const Finding&) = default;
};

// What the explorer knows beside the trace.
struct FindingContext {
  Invocation invocation;
  SearchSettings search;
  std::string output;
  std::uint64_t first_run = 0;
  bool replayed = false;
  std::string replay_note;
  bool schedule_dependent = true;
};

// `trace` is a run that failed (or exited with an unexpected status); best one with event stacks.
Finding BuildFinding(const RunTrace& trace, Symbolizer& symbols, const FindingContext& context);

// Something that the run saw and survived; of the trace's sightings.
Finding BuildFinding(const RunTrace& trace, const Sighting& sighting, Symbolizer& symbols,
                     const FindingContext& context);
FindingKind KindOf(SightingKind kind);

// Only kind and fingerprint, from a trace without events: to count hits of a known finding.
std::string FingerprintOf(const RunTrace& trace, Symbolizer& symbols,
                          const FindingContext& context);

std::string_view NameOf(Backend backend);
std::string_view NameOf(Points points);
std::string_view NameOf(Timeouts timeouts);
std::string_view NameOf(Reuse reuse);
std::optional<Reuse> ReuseByName(std::string_view name);
std::string_view NameOf(Isolation isolation);
std::optional<Backend> BackendByName(std::string_view name);
std::optional<Points> PointsByName(std::string_view name);
std::optional<Timeouts> TimeoutsByName(std::string_view name);
std::optional<Isolation> IsolationByName(std::string_view name);

}  // namespace heddle

#endif  // HEDDLE_REPORT_FINDING_H_
