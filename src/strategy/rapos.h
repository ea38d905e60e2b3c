// RAPOS: random batches of independent operations; the next batch comes from what the last touched.
//
// Sen: "Effective Random Testing of Concurrent Programs" (ASE 2007).
#ifndef HEDDLE_STRATEGY_RAPOS_H_
#define HEDDLE_STRATEGY_RAPOS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "strategy/object_versions.h"
#include "strategy/strategy.h"

namespace heddle {

// A pending operation is a candidate for the present batch, stands for the next one (it is new, or
// depends on something executed in this batch), or was passed over. A batch takes one candidate
// always and each other with probability 1/2 as long as it depends on nothing taken. When nothing
// stands for the next batch, one operation that was passed over is drawn.
//
// Differs from the paper: a batch is executed one operation at a time, drawing as it goes, because
// the scheduler asks for one; operations of a batch are independent, so their order is immaterial.
// Which waiter wakes and how an operation ends is drawn uniformly.
//
// Differs from the paper: a yield, and every thousandth operation, puts all that was passed over up
// for the next batch. Otherwise a loop that waits, whose own operations always stand for the next
// batch, would keep out for ever whoever ends it.
class RaposPolicy final : public Policy {
 public:
  void Begin(const Plan& plan) override;
  std::size_t Choose(const Decision& decision) override;
  void Answered(const Decision& decision, std::size_t chosen) override;
  void Observe(const Event& event, const RunView& view) override;
  bool Watches() const override { return true; }

 private:
  enum class Place : std::uint8_t { kNextBatch, kCandidate, kPassedOver };
  struct Slot {
    Place place = Place::kNextBatch;
    std::uint32_t generation = 0;
    std::uint64_t version = 0;  // of its object when it was put there
  };

  struct Arranged {
    std::size_t candidates = 0;
    std::size_t next = 0;  // that stand for the next batch
  };

  void Know(std::size_t thread_count);
  // Moves what has lost a race, or is of an old generation, to the next batch.
  Arranged Arrange(const Decision& decision);
  std::size_t NthCandidate(const Decision& decision, std::size_t nth);

  Rng rng_{0};
  ObjectVersions versions_;
  std::vector<Slot> slots_;
  bool may_pass_ = false;  // the batch has its first operation
  std::uint32_t generation_ = 0;
  std::uint32_t since_reset_ = 0;
};

std::unique_ptr<Policy> MakeRaposPolicy();
std::unique_ptr<Search> MakeRaposSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_RAPOS_H_
