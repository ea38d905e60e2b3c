// POS: every operation has a random priority, drawn anew when it has lost a race.
//
// Yuan, Yang, Gu: "Partial Order Aware Concurrency Sampling" (CAV 2018). Samples the orders of a
// group of dependent operations uniformly and independent groups at the same time.
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
// This is the paper's Algorithm 3: a priority per operation and version of its object, where its
// Algorithm 4 draws on demand and searches the enabled threads for losers after every event. The
// two give the same distribution.
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
