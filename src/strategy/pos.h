// POS: every operation has a random priority, drawn anew when it has lost a race.
//
// Algorithm 4 of Yuan, Yang, Gu: "Partial Order Aware Concurrency Sampling" (CAV 2018), priorities
// on demand. Samples the orders of a group of dependent operations uniformly and independent groups
// at the same time.
#ifndef HEDDLE_STRATEGY_POS_H_
#define HEDDLE_STRATEGY_POS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "strategy/event_priorities.h"
#include "strategy/object_versions.h"
#include "strategy/strategy.h"

namespace heddle {

// Which waiter wakes and how an operation ends is drawn uniformly: the paper has no such questions.
//
// Differs from the paper's listing: a race is noticed when the loser is next considered, by the
// version of its object (the paper's own Algorithm 3), not by a search through the enabled threads
// after every event. The draws have the same distribution.
class PosPolicy final : public Policy {
 public:
  static constexpr int kReadRelaxedParam = 0;  // of Plan::params: 1 = two reads do not race

  void Begin(const Plan& plan) override;
  std::size_t Choose(const Decision& decision) override;
  void Answered(const Decision& decision, std::size_t chosen) override;
  void Observe(const Event& event, const RunView& view) override;
  bool Watches() const override { return true; }

 private:
  EventPriorities priorities_;
  ObjectVersions versions_;
  std::uint32_t yields_ = 0;  // since the last reset
};

std::unique_ptr<Policy> MakePosPolicy();
std::unique_ptr<Search> MakePosSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_POS_H_
