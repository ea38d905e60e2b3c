// Random walk: every option of every decision is equally likely.
#ifndef HEDDLE_STRATEGY_RANDOM_H_
#define HEDDLE_STRATEGY_RANDOM_H_

#include <cstddef>
#include <memory>

#include "base/rng.h"
#include "strategy/strategy.h"

namespace heddle {

class RandomPolicy final : public Policy {
 public:
  void Begin(const Plan& plan) override;
  std::size_t Choose(const Decision& decision) override;

 private:
  Rng rng_{0};
};

std::unique_ptr<Policy> MakeRandomPolicy();
std::unique_ptr<Search> MakeRandomSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_RANDOM_H_
