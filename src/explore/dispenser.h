// Who runs what next, and which results count.
//
// Not thread-safe; the explorer calls it under its lock. The rule is that a search with many
// workers finds what it finds with one:
// - The runs of an ordered search (any sampler) are entered into the ledger strictly in the order
// of
//   their numbers. A run that saw a new scheduling point changes what all later runs mean, so those
//   that were made meanwhile are forgotten and proposed again.
// - Any other search learns as results come in. A new scheduling point restarts it; results of
//   plans from before are dropped.
#ifndef HEDDLE_EXPLORE_DISPENSER_H_
#define HEDDLE_EXPLORE_DISPENSER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "explore/ledger.h"
#include "explore/point_set.h"
#include "strategy/strategy.h"
#include "trace/plan.h"

namespace heddle {

struct DispenserOptions {
  std::uint64_t runs = 10'000;
  bool keep_going = false;
  std::vector<Point> points = {};  // known from before
};

// Runs for one worker: `runs` of them, from plan.run on.
struct Job {
  Plan plan;
  std::uint32_t runs = 1;
  bool wants_events = false;     // the search learns from them
  bool wants_whole = false;      // behind a failure the other threads go on
  std::uint64_t generation = 0;  // of the point set
  std::shared_ptr<const PointSet> points;
};

class Dispenser {
 public:
  virtual ~Dispenser() = default;

  // At most `most` runs. Nothing: no job until a result comes in, or the search is over.
  virtual std::optional<Job> Take(std::uint32_t most) = 0;
  // The results of a beginning of the job's runs; the rest of them is given out again.
  virtual void Give(const Job& job, std::vector<RunResult> results) = 0;
  // The job's worker is gone; its runs are given out again, one at a time.
  virtual void Lose(const Job& job) = 0;
  virtual bool IsOver() const = 0;
  virtual std::shared_ptr<const PointSet> points() const = 0;
  // The search is cut off: enters what has arrived but had to wait for its turn.
  virtual void Flush() {}
};

std::unique_ptr<Dispenser> MakeDispenser(Search* search, Ledger* ledger,
                                         const DispenserOptions& options);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_DISPENSER_H_
