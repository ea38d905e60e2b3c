// A search from start to end: workers, budgets, and every failure examined before it is reported.
#ifndef HEDDLE_EXPLORE_EXPLORER_H_
#define HEDDLE_EXPLORE_EXPLORER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "explore/checkpoints.h"
#include "explore/worker.h"
#include "report/finding.h"
#include "report/schedule_file.h"
#include "stats/verdict.h"
#include "strategy/registry.h"

namespace heddle {

struct Progress {
  std::uint64_t runs = 0;
  std::uint64_t events = 0;
  std::uint64_t classes = 0;
  std::size_t findings = 0;
  double seconds = 0;
  double runs_per_second = 0;
  double seconds_left = 0;
  RunEstimate estimated_runs = {};  // of an exhaustive search, in all
  std::string_view phase;           // "searching", "replaying"
};

enum class StoppedBy : std::uint8_t { kFinding, kRuns, kTime, kComplete, kInterrupted };
std::string_view NameOf(StoppedBy stopped_by);

struct Uncontrolled {
  std::string what;
  std::string site;  // "a.cpp:12"; empty = unknown
  std::uint64_t count = 0;
  std::string effect;
};

// At the rate so far; all 0: no idea, or nothing is left.
struct TimeLeft {
  double seconds = 0;
  double low = 0;
  double high = 0;
};

struct Explored {
  std::uint64_t runs = 0;
  std::uint64_t blocked_runs = 0;
  std::uint64_t step_limited_runs = 0;  // cut off by --max-steps
  std::uint64_t diverged_runs = 0;      // did not follow their prefix
  std::uint64_t voided_runs =
      0;  // of an exhaustive search, made before its last scheduling point was known
  std::uint64_t events = 0;
  std::uint64_t classes = 0;
  bool classes_exact = true;
  bool complete = false;
  RunEstimate estimated_runs;  // of an exhaustive search, in all
  TimeLeft time_left;          // what the rest of them would take
  bool starts_no_thread = false;
  std::optional<std::string> skipped;  // the body asked for it: why
  bool leaks_state = false;  // of a body that is repeated in one process: a run sees an earlier one
  std::vector<OutcomeRecord>
      outcomes;  // what bodies said with heddle::Outcome(), most frequent first
  StoppedBy stopped_by = StoppedBy::kRuns;
  double seconds = 0;
  std::string build_id;
  bool aslr_is_on = false;
  Backend backend = Backend::kFiber;  // that was used: fibers need what not every machine has
  std::vector<ModuleRecord> modules;  // of the program, itself first
  std::vector<Uncontrolled> uncontrolled;
  std::vector<std::string> notes;  // sentences worth telling
  bool is_in_doubt = false;        // some of them, or `uncontrolled`, even if nothing was found
  CheckpointCounts checkpoints;

  struct Found {
    Finding finding;
    Schedule schedule;
    HitRatio ratio = {};    // of a sampling search, see `verdict`
    bool is_known = false;  // to the baseline: no reason to fail
  };
  std::vector<Found> found;           // failures, what runs survived, warnings; each by first run
  std::uint64_t suppressed = 0;       // findings that the user does not want to hear of
  std::vector<std::string> vanished;  // from the baseline
  // What the samples since the scheduling points last changed are worth; none of another search.
  std::optional<SamplingVerdict> verdict;
};

struct ExploreOptions {
  StrategySpec strategy;
  std::string strategy_text = "auto";  // as the user wrote it
  std::uint64_t runs = 10'000;
  double seconds = 60;
  std::uint64_t seed = 1;
  int workers = 1;
  bool keep_going = false;
  int expected_exit = 0;
  std::optional<std::string> expected_output;
  // Called with a finding as soon as it has been examined, the search still going on
  // (--keep-going): what is stored then is not lost whatever happens later. From a thread of the
  // explorer's.
  std::function<void(const Explored::Found&)> on_found = {};
  // Failures that do not count: they do not end the search. Asked once for each kind of failure,
  // when it has been examined, from a thread of the explorer's. Empty: all count.
  std::function<bool(const Finding&)> passes_over = {};
  // Where an exhaustive search that is not finished is kept, every few seconds; empty = nowhere.
  std::string state_file = {};
  std::string state_identity = {};  // one line: what else must be the same to go on with it
  bool resume = false;              // go on with what is there
  std::string hapset_file = {};     // HaPSets to begin with and to add to; empty = none
  CheckpointMode checkpoint = CheckpointMode::kAuto;
  int shrink_runs = 200;  // spent on a simpler schedule of each finding
  WorkerOptions worker;   // `temporary` is chosen by the explorer
};

// Called from the thread that called Explore, about ten times a second.
using ProgressFunction = std::function<void(const Progress&)>;

// `interrupt` ends the search early with what it has. An Error: nothing could be searched.
Result<Explored> Explore(const Invocation& invocation, const ExploreOptions& options,
                         const std::atomic<bool>& interrupt, const ProgressFunction& progress);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_EXPLORER_H_
