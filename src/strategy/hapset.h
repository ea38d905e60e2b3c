// History-aware predecessor sets: which statement was seen to come right before which other on the
// same object, in another thread (Wang, Said and Gupta, ICSE 2011, Definition 2).
//
// A statement is an instruction, its kind of operation and its calling context; which of the two
// threads comes first in the order of threads belongs to the pair.
#ifndef HEDDLE_STRATEGY_HAPSET_H_
#define HEDDLE_STRATEGY_HAPSET_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>

#include "trace/call_sites.h"
#include "trace/op.h"

namespace heddle {

struct HapStatement {
  std::uint64_t site = 0;
  std::uint32_t context = 0;
  OpKind kind = OpKind::kNone;

  friend auto operator<=>(const HapStatement&, const HapStatement&) = default;
};

// `before` is in the set of `statement`.
struct HapPair {
  HapStatement statement;
  HapStatement before;
  bool statement_is_lower = false;  // its thread is, in the order of threads

  friend auto operator<=>(const HapPair&, const HapPair&) = default;
};

class HapSets {
 public:
  // True when it is new.
  bool Add(const HapPair& pair) { return pairs_.insert(pair).second; }
  bool Has(const HapPair& pair) const { return pairs_.count(pair) != 0; }
  const std::set<HapPair>& pairs() const { return pairs_; }
  std::size_t size() const { return pairs_.size(); }

  // That their contexts are made of: sets with other ones have no statement in common.
  std::uint64_t call_sites = kUsualCallSites;

 private:
  std::set<HapPair> pairs_;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_HAPSET_H_
