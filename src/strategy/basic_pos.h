// BasicPOS: every operation has a random priority for life; the highest that can go on is next.
//
// Algorithm 2 of Yuan, Yang, Gu: "Partial Order Aware Concurrency Sampling" (CAV 2018).
#ifndef HEDDLE_STRATEGY_BASIC_POS_H_
#define HEDDLE_STRATEGY_BASIC_POS_H_

#include <cstddef>
#include <memory>

#include "strategy/event_priorities.h"
#include "strategy/strategy.h"

namespace heddle {

// Which waiter wakes and how an operation ends is drawn uniformly: the paper has no such questions.
class BasicPosPolicy final : public Policy {
 public:
  void Begin(const Plan& plan) override;
  std::size_t Choose(const Decision& decision) override;
  void Observe(const Event& event, const RunView& view) override;
  bool Watches() const override { return true; }

 private:
  EventPriorities priorities_;
};

std::unique_ptr<Policy> MakeBasicPosPolicy();
std::unique_ptr<Search> MakeBasicPosSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_BASIC_POS_H_
