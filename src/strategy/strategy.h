// A strategy is a Search with its Policy, one row of the registry (strategy/registry.h).
//
// A Search lives in the controller, across runs. A Policy lives inside one run, in the tested
// program's process, and knows only its Plan and this run's decisions: a corrupted run can't
// corrupt the search. Budgets, prefix replay, divergence checks and shrinking are the explorer's,
// never a strategy's.
#ifndef HEDDLE_STRATEGY_STRATEGY_H_
#define HEDDLE_STRATEGY_STRATEGY_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/decision.h"
#include "trace/plan.h"
#include "trace/records.h"
#include "trace/run_trace.h"

namespace heddle {

class HapSets;  // strategy/hapset.h

// Decides within one run. Where runs follow each other in one process it is used again. A fresh one
// never allocates after Begin.
class Policy {
 public:
  virtual ~Policy() = default;

  // Before the first decision of a run: nothing is left of the one before.
  virtual void Begin(const Plan& plan) = 0;

  // Instead of an index: the run is redundant and ends here, as RunOutcome::kBlocked.
  static constexpr std::size_t kAbandon = ~std::size_t{0};

  // The index of an option. Not called for decisions that the plan's prefix answers.
  virtual std::size_t Choose(const Decision& decision) = 0;

  // Every answered decision, prefix included, before its event; and every executed event from
  // number watches_from() on.
  virtual void Answered(const Decision& decision, std::size_t chosen) {
    (void)decision;
    (void)chosen;
  }
  virtual void Observe(const Event& event, const RunView& view) {
    (void)event;
    (void)view;
  }
  // Whether Observe and Answered do anything: the scheduler skips the calls otherwise.
  virtual bool Watches() const { return false; }
  // Looked at before every event: a policy that has seen enough says so by kNever.
  std::uint64_t watches_from() const { return watches_from_; }

  // The run so far is a proper beginning of this plan's prefix and goes on with this plan instead
  // of the one it began with: what was observed stays, what the old plan said goes.
  virtual bool CanGoOnWith() const { return !Watches(); }
  virtual void GoOnWith(const Plan& plan) { Begin(plan); }

 protected:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  std::uint64_t watches_from_ = 0;
};

// How many runs a search will have made in all; 95 times of 100 it is in the interval. All 0: no
// idea.
struct RunEstimate {
  double runs = 0;
  double low = 0;
  double high = 0;

  // Where so many are known already. A mean that was too low tells nothing but the upper end: then
  // it is the middle between the two, by orders of magnitude.
  RunEstimate AtLeast(double known) const {
    RunEstimate estimate = *this;
    estimate.high = std::max({high, runs, known});
    if (runs < known) estimate.runs = std::sqrt(known * estimate.high);
    estimate.low = std::max(std::min(low, estimate.runs), known);
    return estimate;
  }
};

// Proposes runs and learns from them. Single-threaded. Several plans may be out at a time (one per
// worker); Learn is called once per plan, in any order.
class Search {
 public:
  virtual ~Search() = default;

  // The next run to make. Nothing: no plan until an outstanding one is learnt, or, with none
  // outstanding, the search is over.
  virtual std::optional<Plan> Next() = 0;

  virtual void Learn(const Plan& plan, const RunTrace& trace) = 0;

  // Of the plan that Next gave last: the search needs no events of its run, so that Learn sees a
  // trace without them.
  virtual bool Independent() const { return false; }

  // The search learns in the order of run numbers, and what it proposes does not depend on how many
  // plans are out: many workers then find what one finds. Never changes.
  virtual bool Ordered() const { return false; }

  // Ordered, after Next gave an independent plan: how many of the following runs, at most `most`,
  // are to be made with that plan too. They count as given.
  virtual std::uint64_t Extend(std::uint64_t most) {
    (void)most;
    return 0;
  }

  // Ordered: run `last` added a scheduling point. Later plans are void, and so is what was learnt
  // if it depends on the points; the next plan is run `last` + 1. (Instead of Restart.)
  virtual void Rewind(std::uint64_t last) { (void)last; }

  // Wants RunRecord::new_pairs filled in.
  virtual bool WantsCoverage() const { return false; }

  // A run must not end at a failure: the failing thread is left behind and the others go on, or
  // races with what they would have done go unseen.
  virtual bool WantsWholeRuns() const { return false; }

  // How many runs there are in all, as far as it can tell.
  virtual RunEstimate EstimatedRuns() const { return {}; }

  // Which part of all runs it has made, roughly: what has not been looked into counts as if it were
  // as large as what has. 0: no idea.
  virtual double Explored() const { return 0; }

  // What a user should know about how far the search came, in one sentence; empty = nothing.
  virtual std::string Remark() const { return {}; }

  // Nothing is left to explore, and that is proved (for the present set of scheduling points).
  virtual bool Complete() const { return false; }

  // Runs that turned out to be redundant when they were learnt; beside those that their policy gave
  // up.
  virtual std::uint64_t BlockedRuns() const { return 0; }

  // What the search has to say beside its runs, one sentence each: what it counted, what it does
  // not cover.
  virtual std::vector<std::string> Remarks() const { return {}; }

  // Of a search that is guided by them: the HaPSets it has learnt, those it was given included.
  virtual const HapSets* LearntHapSets() const { return nullptr; }
  // Before the first run is learnt: what earlier searches have seen.
  virtual void KnowHapSets(const HapSets& sets) { (void)sets; }

  // A scheduling point was added: what was learnt is void.
  virtual void Restart() = 0;

  // State to go on from in another process; Load accepts only what Save gave for the same options.
  virtual std::string Save() const = 0;
  virtual Status Load(std::string_view state) = 0;
};

using StrategyParams = std::map<std::string, std::string>;

struct SearchOptions {
  std::uint64_t seed = 1;
  StrategyParams params = {};   // validated against the registry's row
  std::uint64_t runs = 10'000;  // budget, as far as it is known
  bool estimates = false;       // somebody wants to know EstimatedRuns early
  bool time_waits = false;      // it passes only where nobody else can go on
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_STRATEGY_H_
