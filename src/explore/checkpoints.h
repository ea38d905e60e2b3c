// From where in its prefix a run begins, and where it leaves checkpoints for the runs behind it.
//
// A worker can keep runs that stopped before a decision (runtime/worker/checkpoint.h) and make runs
// that begin there. That is never wrong, but a checkpoint costs about what a run's process costs,
// so it has to save more than that: kAuto measures, in this very search, what a process costs and
// what an event costs, and never spends more than a few percent of the search's time plus what
// checkpoints have saved so far. Where the plans go back to is not known in advance; depth first it
// is near, so checkpoints are left at growing distances before the decision that the plan changes.
#ifndef HEDDLE_EXPLORE_CHECKPOINTS_H_
#define HEDDLE_EXPLORE_CHECKPOINTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/channel.h"
#include "trace/plan.h"
#include "trace/records.h"

namespace heddle {

enum class CheckpointMode : std::uint8_t { kAuto, kOn, kOff };
std::optional<CheckpointMode> CheckpointModeByName(std::string_view name);

// What a worker is told.
struct CheckpointOrder {
  std::uint32_t keep = 0;         // of those it has; the run goes on from the last of them
  std::vector<std::uint32_t> at;  // decisions to leave others before, ascending
  bool measure = false;
};

// What it says, checked.
struct CheckpointReply {
  std::vector<CheckpointRecord> live;
  std::uint32_t made_from = 0;  // of `live`, from 1; 0 = from the beginning
  CheckpointRefusal refusal = CheckpointRefusal::kNone;
  std::uint32_t refused_at = 0;  // decision
  double run_seconds = 0;        // in the program; 0 = not measured
  double seconds = 0;            // with all that making a process costs
};

// Over a search; what a user may want to know.
struct CheckpointCounts {
  std::uint64_t left = 0;                                // checkpoints
  std::uint64_t runs = 0;                                // that went on from one
  std::uint64_t events_skipped = 0;                      // that these did not make again
  CheckpointRefusal refusal = CheckpointRefusal::kNone;  // the first

  void Add(const CheckpointCounts& more);
};

// One sentence: what was saved, or why nothing was.
std::string Describe(const CheckpointCounts& counts);

// The checkpoints of one worker. For() before a run, Made() behind it; Forget() when the worker is
// gone or its scheduling points change.
class Checkpoints {
 public:
  explicit Checkpoints(CheckpointMode mode) : mode_(mode) {}

  CheckpointOrder For(const Plan& plan);
  // `decisions` of the whole run.
  void Made(const Plan& plan, std::span<const DecisionRecord> decisions,
            const CheckpointReply& reply);
  void Forget();

  const CheckpointCounts& counts() const { return counts_; }

 private:
  // A decision of the last run.
  struct Step {
    Answer answer;
    std::uint32_t events = 0;  // before it
  };

  std::size_t CommonWith(const Plan& plan) const;
  std::uint64_t EventsBefore(std::size_t decision) const;
  // The last decision with at most so many events before it.
  std::size_t DecisionAt(std::uint64_t events) const;
  std::vector<std::uint32_t> Spread(std::size_t from, std::size_t branch) const;
  static std::vector<std::uint32_t> Everywhere(std::size_t from, std::size_t branch);
  double CostOfOne() const;

  const CheckpointMode mode_;
  std::string policy_;  // of the last run
  std::vector<Step> path_;
  std::vector<CheckpointRecord> live_;
  std::uint64_t limit_ = ~std::uint64_t{0};  // decisions: here and behind they were refused
  CheckpointCounts counts_;

  // Measured.
  double process_seconds_ = 0;  // of a run, beside its events; 0 = unknown
  double event_seconds_ = 0;
  double credit_ = 0;  // seconds that may be spent on checkpoints
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_CHECKPOINTS_H_
