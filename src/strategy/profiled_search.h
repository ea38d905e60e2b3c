// The Search of samplers that must know the program's size first: a few runs to measure it, then
// sampling for ever with what they told.
#ifndef HEDDLE_STRATEGY_PROFILED_SEARCH_H_
#define HEDDLE_STRATEGY_PROFILED_SEARCH_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/profile.h"
#include "strategy/strategy.h"

namespace heddle {

// The first kProfileRuns measure, again whenever the scheduling points have changed; nothing else
// is proposed until all of them are learnt. From then on the profile is fixed, so that run i is a
// function of (seed, i) like any sampler's: the profile runs are, and their profile does not depend
// on the order of learning. Independent from then on, not before: the profile needs the events.
class ProfiledSearch final : public Search {
 public:
  static constexpr std::uint64_t kProfileRuns = 4;

  // Puts what the policy needs into a plan's params and data.
  using Prepare = std::function<void(const Profile&, Plan&)>;

  // Policy and params of the plans; their seed and run are the search's. The plans of the profile
  // take turns.
  struct Plans {
    std::vector<Plan> profile;
    Plan sampling;
  };

  ProfiledSearch(std::uint64_t seed, Plans plans, Prepare prepare);

  std::optional<Plan> Next() override;
  void Learn(const Plan& plan, const RunTrace& trace) override;
  bool Independent() const override { return IsProfiled(); }
  bool Ordered() const override { return true; }
  std::uint64_t Extend(std::uint64_t most) override {
    state_.given += most;
    return most;
  }
  void Rewind(std::uint64_t last) override;
  void Restart() override;
  std::string Save() const override;
  Status Load(std::string_view state) override;

 private:
  bool IsProfiled() const { return state_.learnt.size() == kProfileRuns; }
  void PreparePlan();

  struct State {
    std::uint64_t first = 1;         // run of the profile
    std::uint64_t given = 0;         // runs, those before the profile included
    std::set<std::uint64_t> learnt;  // profile runs
    Profile profile;
  };

  const std::uint64_t seed_;
  const Plans plans_;
  const Prepare prepare_;
  State state_;
  Plan prepared_;  // plans_.sampling with what the profile told
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_PROFILED_SEARCH_H_
