// Which orders of conflicting events a run showed, folded into a fixed set of bits.
//
// For every event: which write it follows on its object (what a read read, what a write overwrote),
// and for a write which read it follows. Such a pair of events is one bit, chosen by a hash of both
// names, which are the same in every run (trace/class_hash.h). Whoever executes a run keeps one set
// per run: constant work per event, no allocation. The controller adds the sets up in the order of
// run numbers, so what counts as new does not depend on the number of workers; any bits are valid
// ones, so nothing needs to be checked.
#ifndef HEDDLE_TRACE_PAIR_COVERAGE_H_
#define HEDDLE_TRACE_PAIR_COVERAGE_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/hash.h"
#include "trace/class_hash.h"
#include "trace/op.h"

namespace heddle {

struct PairCoverage {
  static constexpr std::size_t kWords = 256;  // 16,384 pairs in half a page

  std::uint64_t words[kWords] = {};

  // Before ClassHash::Add, which changes `order`.
  void Add(std::uint64_t identity, OpKind kind, const ObjectOrder& order) {
    Set(Mix(identity + order.last_write * 0x8ebc6af09c88c6e3ull));
    if (IsWrite(kind) && order.last_read != 0) {
      Set(Mix(identity + order.last_read * 0x589965cc75374cc3ull));
    }
  }

  // Adds the bits of a run; returns how many of them are new.
  std::uint32_t Merge(const PairCoverage& run) {
    std::uint32_t fresh = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      fresh += static_cast<std::uint32_t>(std::popcount(run.words[i] & ~words[i]));
      words[i] |= run.words[i];
    }
    return fresh;
  }

 private:
  void Set(std::uint64_t hash) { words[hash % kWords] |= std::uint64_t{1} << (hash >> 58); }
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_PAIR_COVERAGE_H_
