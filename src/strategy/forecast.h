// How many runs a search within a bound has before it, while it makes the cheapest first.
//
// Random descents (strategy/descents.h) would run dear ones early. So every run that is made says
// how many there are behind each of its alternatives if these went on as it did: Knuth's estimate
// from one path, with a budget. Where an alternative has been run, its own decisions say more: the
// sums of both, over the runs made, correct what is still expected. What such an estimate is worth
// is not to be seen in itself (runs made one behind the other are alike), so it was measured.
#ifndef HEDDLE_STRATEGY_FORECAST_H_
#define HEDDLE_STRATEGY_FORECAST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strategy/state_text.h"
#include "strategy/strategy.h"
#include "trace/records.h"

namespace heddle {

// For each run: Look, then Behind for each alternative that is kept, then Compare with what was
// expected of it. Costs time in proportion to the decisions and the budget; too many of both, and
// nothing is forecast.
class Forecast {
 public:
  // `decisions` are those behind the run's prefix; `cost_of(decision, option)` is what another
  // answer costs of the budget that the prefix has left.
  template <typename CostOf>
  void Look(std::span<const DecisionRecord> decisions, std::uint32_t budget,
            const CostOf& cost_of) {
    count_ = decisions.size();
    width_ = std::size_t{budget} + 1;
    is_known_ = (count_ + 1) <= kMostSizes / width_;
    if (!is_known_) return;
    sizes_.assign((count_ + 1) * width_, 1);
    for (std::size_t i = count_; i-- > 0;) {
      for (std::size_t left = 0; left < width_; ++left) {
        sizes_[i * width_ + left] = sizes_[(i + 1) * width_ + left];
      }
      for (std::uint16_t option = 0; option < decisions[i].options; ++option) {
        if (option != decisions[i].chosen) AddOption(i, cost_of(decisions[i], option));
      }
    }
  }

  // Runs that begin like this one up to the nth decision and answer that one in another way, at
  // this cost; 0 = no idea.
  double Behind(std::size_t nth, std::uint32_t cost) const {
    return is_known_ && cost < width_ ? sizes_[(nth + 1) * width_ + width_ - 1 - cost] : 0;
  }

  // So many runs were expected to begin with the prefix of the run looked at; 0 = nobody knew.
  void Compare(double expected);

  // `made` runs are made, `expected` lie behind those to make, of which `known` are known.
  RunEstimate Estimate(double made, double known, double expected) const;

  void Save(StateWriter* writer) const;
  void Load(StateReader* reader);

 private:
  static constexpr std::size_t kMostSizes = 1 << 18;
  static constexpr double kTooMany = 1e200;  // and their sums are numbers still

  void AddOption(std::size_t i, std::uint32_t cost) {
    for (std::size_t left = cost; left < width_; ++left) {
      double& size = sizes_[i * width_ + left];
      size = std::min(kTooMany, size + sizes_[(i + 1) * width_ + left - cost]);
    }
  }

  // Over the runs that something was expected of.
  std::uint64_t compared_ = 0;
  double expected_ = 0;
  double found_ = 0;
  bool is_off_ = false;  // a run was too long

  // Of the run looked at.
  std::size_t count_ = 0;
  std::size_t width_ = 1;      // budgets: 0 to what is left
  bool is_known_ = false;      // sizes_ is there
  std::vector<double> sizes_;  // by decision and budget: runs that differ from there on
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_FORECAST_H_
