// Depth-first search over all answers to all decisions: every interleaving, once.
//
// A run replays a prefix and goes on without preemptions (strategy/nonpreemptive.h); each decision
// behind the prefix leaves its other options to be tried. The last decision's are tried first, so
// with one worker the memory is proportional to the depth of one run; where somebody wants to know
// how many runs there are, random descents choose the first some thousand (strategy/descents.h).
#ifndef HEDDLE_STRATEGY_DFS_H_
#define HEDDLE_STRATEGY_DFS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/answer_paths.h"
#include "strategy/descent_pool.h"
#include "strategy/hidden_time.h"
#include "strategy/strategy.h"

namespace heddle {

// Several plans may be out at a time: the set of runs made is the same in any order of Learn. A run
// that did not follow its prefix, was cut short or lost records leaves part of the tree unknown,
// and one in which time might have passed before a clock read (strategy/hidden_time.h) is not in
// the tree: the search goes on, but is never Complete.
class DfsSearch final : public Search {
 public:
  explicit DfsSearch(const SearchOptions& options)
      : seed_(options.seed), estimates_(options.estimates) {
    Restart();
  }

  std::optional<Plan> Next() override;
  void Learn(const Plan& plan, const RunTrace& trace) override;
  bool WantsWholeRuns() const override { return true; }
  // By random descents, which choose among the first runs.
  RunEstimate EstimatedRuns() const override;
  bool Complete() const override;
  std::string Remark() const override { return state_.hidden_time.Remark(); }
  void Restart() override;
  std::string Save() const override;
  Status Load(std::string_view state) override;

  // Runs that did not count: they diverged, were cut short or lost records.
  std::uint64_t lost_runs() const { return state_.lost; }
  // Answers kept for work to come; for tests of the memory bound.
  std::size_t kept_answers() const { return state_.paths.size(); }
  std::size_t frontier() const { return state_.branches.size() + state_.pool.size(); }

 private:
  // A decision some of whose options have not been tried.
  struct Branch {
    AnswerPaths::Node path = AnswerPaths::kRoot;  // to the decision
    std::uint16_t options = 0;
    std::uint16_t taken = 0;  // by the run that found it
    std::uint16_t next = 0;   // to try
  };
  // A path to run as it is: the root, those that descents may want, and reloaded ones.
  struct Whole {
    AnswerPaths::Node path = AnswerPaths::kRoot;
    Descents::Node node = Descents::kNoNode;
  };
  struct State {
    AnswerPaths paths;
    std::vector<Branch> branches;                // a stack
    std::vector<Whole> whole;                    // a stack that comes before the branches
    DescentPool<Whole> pool;                     // instead of both while descents are made
    std::map<std::uint64_t, Whole> outstanding;  // by run
    HiddenTime hidden_time;
    std::uint64_t given = 0;
    std::uint64_t lost = 0;
  };

  std::optional<Whole> TakeWork();
  void Pool(Descents::Node node, std::size_t before, std::size_t depth);
  AnswerPaths::Node Behind(AnswerPaths::Node path, Answer answer);
  AnswerPaths::Node TakeFrom(Branch* branch);

  const std::uint64_t seed_;
  const bool estimates_;
  State state_;
};

std::unique_ptr<Search> MakeDfsSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_DFS_H_
