// How often each object was touched: an operation that waited while its object's version changed
// has lost a race.
//
// Counting is constant work per event, whatever the number of threads; who has lost is seen when it
// is next considered.
#ifndef HEDDLE_STRATEGY_OBJECT_VERSIONS_H_
#define HEDDLE_STRATEGY_OBJECT_VERSIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/decision.h"
#include "trace/op.h"
#include "trace/records.h"

namespace heddle {

class ObjectVersions {
 public:
  // With reads_commute two reads of an object do not race.
  void Begin(bool reads_commute) {
    reads_commute_ = reads_commute;
    std::fill(counts_.begin(), counts_.begin() + known_, Counts());
    known_ = 0;
  }

  void Touch(ObjectId object, OpKind kind) {
    if (object == kNoObject) return;
    if (object >= counts_.size()) counts_.resize(object + std::size_t{1});
    if (object >= known_) known_ = object + std::ptrdiff_t{1};
    ++counts_[object].all;
    if (IsWrite(kind)) ++counts_[object].writes;
  }

  // A wait also touches its mutex, which its event does not name. Where the step is forced nobody
  // can lose a race, so it is enough to look at answered decisions.
  void Answered(const Decision& decision, std::size_t chosen) {
    if (decision.kind != DecisionKind::kThread) return;
    const PendingOp& op = decision.view->pending[decision.options[chosen].thread];
    Touch(op.second, op.kind);
  }

  // Changes exactly when an operation that races with `op` was executed.
  std::uint64_t VersionFor(const PendingOp& op) const {
    const std::uint64_t version = VersionOf(op.object, op.kind);
    return op.second == kNoObject ? version : version + VersionOf(op.second, op.kind);
  }

 private:
  static constexpr std::size_t kWarmObjects = 256;

  struct Counts {
    std::uint32_t all = 0;
    std::uint32_t writes = 0;
  };

  std::uint64_t VersionOf(ObjectId object, OpKind kind) const {
    if (object >= counts_.size()) return 0;
    const Counts& counts = counts_[object];  // nobody touches kNoObject, which is 0
    return reads_commute_ && !IsWrite(kind) ? counts.writes : counts.all;
  }

  bool reads_commute_ = true;
  // By object. Its size stays from run to run, so that the question whether an object is in it has
  // the same answer nearly always; behind known_ it is all 0.
  std::vector<Counts> counts_ = std::vector<Counts>(kWarmObjects);
  std::ptrdiff_t known_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_OBJECT_VERSIONS_H_
