// Strategy `reachability`: every SYN-sequence of a program exactly once (src/reach), on real runs.
//
// Complete() holds when no variant is left and nothing was met that the model does not cover: try
// and timed operations, a data race, a run that ended early.
#ifndef HEDDLE_STRATEGY_REACHABILITY_H_
#define HEDDLE_STRATEGY_REACHABILITY_H_

#include <map>
#include <memory>
#include <set>
#include <string>

#include "reach/search.h"
#include "strategy/strategy.h"
#include "strategy/syn_reader.h"

namespace heddle {

class ReachabilitySearch final : public Search {
 public:
  explicit ReachabilitySearch(const SearchOptions& options);

  std::optional<Plan> Next() override;
  void Learn(const Plan& plan, const RunTrace& trace) override;
  bool Complete() const override;
  bool WantsWholeRuns() const override { return true; }
  void Restart() override;
  std::string Save() const override;
  Status Load(std::string_view text) override;
  std::uint64_t BlockedRuns() const override { return counts().blocked; }
  std::vector<std::string> Remarks() const override;

  const reach::SearchCounts& counts() const { return state_.search.counts(); }
  const std::set<std::string>& uncovered() const { return state_.uncovered; }
  // With `check=on`: sequences that were exercised before. It never happens.
  std::uint64_t repeated() const { return state_.repeated; }

 private:
  struct State {
    std::uint64_t given = 0;  // plans so far
    reach::VariantSearch search;
    SynNames names;
    std::map<std::uint64_t, reach::Variant> outstanding;  // by run
    std::set<std::string> uncovered;
    std::uint64_t diverged = 0;
    std::uint64_t repeated = 0;
    std::set<std::uint64_t> seen;  // hashes of sequences; only with `check=on`
  };

  // The run shows a data race: the search begins anew, with the variables' accesses as events.
  void AddRacy();
  // Race sets, race table and diagram of the run that was learnt last.
  std::string Show(const RunTrace& trace, const std::vector<reach::Heading>& headings) const;

  const std::uint64_t seed_;
  const std::uint64_t show_run_;  // 0: none
  const bool checks_;
  std::string shown_;
  State state_;
  SynReader reader_;
  reach::Sequence sequence_;  // of the run that is learnt; kept for its memory
};

std::unique_ptr<Search> MakeReachabilitySearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_REACHABILITY_H_
