// How to share runs among several samplers by what their runs bring.
//
// Every arm keeps a floor, for what it brings is only a hint at what it finds: a sampler that shows
// nothing new any more may still be the one that fails first. The rest goes to the arms in
// proportion to their rewards per run, old ones discounted: what is new gets rarer as a search goes
// on.
#ifndef HEDDLE_STRATEGY_BANDIT_H_
#define HEDDLE_STRATEGY_BANDIT_H_

#include <array>
#include <cstddef>

#include "strategy/state_text.h"

namespace heddle {

template <std::size_t kArms>
class Bandit {
 public:
  static constexpr double kFloor = 0.5 / kArms;  // of the runs, for each arm
  static constexpr double kDiscount = 0.75;      // per round

  using Shares = std::array<double, kArms>;

  void Reward(std::size_t arm, std::uint64_t reward) {
    arms_[arm].runs += 1;
    arms_[arm].reward += static_cast<double>(reward);
  }

  // Sums to 1. Equal shares until something was rewarded.
  Shares SharesNow() const {
    Shares shares;
    double total = 0;
    for (const Arm& arm : arms_) total += arm.PerRun();
    for (std::size_t i = 0; i < kArms; ++i) {
      const double merit = total > 0 ? arms_[i].PerRun() / total : 1.0 / kArms;
      shares[i] = kFloor + (1 - kFloor * kArms) * merit;
    }
    return shares;
  }

  void EndRound() {
    for (Arm& arm : arms_) {
      arm.runs *= kDiscount;
      arm.reward *= kDiscount;
    }
  }

  void Write(StateWriter& writer) const {
    for (const Arm& arm : arms_) writer.Real(arm.runs).Real(arm.reward);
  }
  void Read(StateReader& reader) {
    for (Arm& arm : arms_) {
      arm.runs = reader.Real();
      arm.reward = reader.Real();
    }
  }

 private:
  struct Arm {
    double runs = 0;
    double reward = 0;

    double PerRun() const { return runs > 0 ? reward / runs : 0; }
  };

  std::array<Arm, kArms> arms_;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_BANDIT_H_
