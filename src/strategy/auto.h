// The default: measures the program, then exhausts it if it is small, or lets several samplers
// share the runs by what each of them brings.
#ifndef HEDDLE_STRATEGY_AUTO_H_
#define HEDDLE_STRATEGY_AUTO_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "strategy/bandit.h"
#include "strategy/profile.h"
#include "strategy/strategy.h"

namespace heddle {

struct StrategyInfo;

// A few runs make a profile for all samplers. From then on runs come in rounds, a block of runs for
// each sampler in turn. The shares of a round are settled by the rounds up to the last but one, so
// they are the same however many workers there are. A run is rewarded for each pair of conflicting
// events that it is the first to show (trace/pair_coverage.h), and for its class if that is new.
//
// After every round the number of classes is estimated from those seen once and twice. When so many
// runs and a quarter more would fit into the budget, the exhaustive search takes over. If it has
// made four times as many and by its own estimate the rest does not fit, it is given up for good
// and the samplers go on.
class AutoSearch final : public Search {
 public:
  // `exhaustive` may be null: sample only.
  AutoSearch(const SearchOptions& options, const StrategyInfo* exhaustive)
      : options_(options), exhaustive_(exhaustive) {}

  std::optional<Plan> Next() override;
  void Learn(const Plan& plan, const RunTrace& trace) override;
  bool Independent() const override;
  bool Ordered() const override { return true; }
  std::uint64_t Extend(std::uint64_t most) override;
  void Rewind(std::uint64_t last) override;
  bool WantsCoverage() const override { return true; }
  bool WantsWholeRuns() const override {
    return exhausting_ != nullptr && exhausting_->WantsWholeRuns();
  }
  RunEstimate EstimatedRuns() const override;
  bool Complete() const override;
  void Restart() override { Rewind(0); }
  std::string Save() const override;
  Status Load(std::string_view text) override;

  static constexpr std::size_t kArms = 5;
  static constexpr std::uint64_t kProfileRuns = 4;

 private:
  // What a finished round says about the round after the next.
  struct Advice {
    Bandit<kArms>::Shares shares = {};
    std::uint64_t classes = 0;  // estimated; 0 = too many to tell, or too little known
  };
  struct Round {
    std::uint64_t last = 0;  // run
    std::array<std::uint64_t, kArms> runs = {};
  };
  struct State {
    std::uint64_t first = 1;   // run of the profile
    std::uint64_t given = 0;   // last run proposed
    std::uint64_t learnt = 0;  // last run learnt
    Profile profile;
    // The round that is being proposed: its number from 0, its block (in turn), what is left of it.
    std::uint64_t rounds = 0;
    std::uint64_t block = kArms;
    std::uint64_t left = 0;
    Round round;
    std::deque<std::uint64_t> ends;  // last runs of rounds that are not learnt yet
    Bandit<kArms> bandit;
    std::deque<Advice> advice;                            // of rounds learnt, not used yet
    std::uint64_t samples = 0;                            // in `classes`
    std::map<std::uint64_t, std::uint64_t> classes = {};  // how often seen, of the first samples
    // The exhaustive search: its runs are numbered from exhaust_after + 1.
    bool exhaust_tried = false;
    std::uint64_t exhaust_after = 0;
    std::uint64_t exhaust_most = 0;
  };

  bool IsProfiled() const { return state_.learnt + 1 >= state_.first + kProfileRuns; }
  void PrepareArms();
  std::size_t ArmOfBlock() const { return (state_.block + state_.rounds) % kArms; }
  // False: what settles it is not learnt yet.
  bool BeginRound();
  void EndRound();
  bool BeginExhausting(std::uint64_t classes);
  std::unique_ptr<Search> MakeExhaustive(std::uint64_t most) const;
  bool ExtendExhaustive();
  std::optional<Plan> NextOfExhaustive();
  std::uint64_t EstimatedClasses() const;

  const SearchOptions options_;
  const StrategyInfo* const exhaustive_;
  State state_;
  std::array<Plan, kArms> arms_;  // what the profile says
  std::unique_ptr<Search> exhausting_;
};

std::unique_ptr<Search> MakeAutoSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_AUTO_H_
