// URW: the next thread is drawn with a probability proportional to the operations it still has
// before it, which makes every interleaving equally likely.
//
// "Selectively Uniform Concurrency Testing" (ASPLOS 2025). Exact where the number of operations of
// each thread does not depend on the schedule and nothing blocks.
#ifndef HEDDLE_STRATEGY_URW_H_
#define HEDDLE_STRATEGY_URW_H_

#include <cstddef>
#include <memory>

#include "base/rng.h"
#include "strategy/strategy.h"
#include "strategy/thread_weights.h"

namespace heddle {

// A thread that yields again and again without the profile knowing weighs 1 after a while, so the
// others get ever more of the turns: fairness needs no rule of its own. Which waiter wakes and how
// an operation ends is drawn uniformly.
class UrwPolicy final : public Policy {
 public:
  void Begin(const Plan& plan) override;
  std::size_t Choose(const Decision& decision) override;
  void Observe(const Event& event, const RunView& view) override;
  bool Watches() const override { return true; }

 private:
  Rng rng_{0};
  std::vector<PathWeight> rows_;
  ThreadWeights weights_;
};

std::unique_ptr<Policy> MakeUrwPolicy();
// What the policy needs of a profile.
void PrepareUrw(const Profile& profile, Plan& plan);
std::unique_ptr<Search> MakeUrwSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_URW_H_
