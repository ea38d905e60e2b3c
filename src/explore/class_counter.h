// How many distinct equivalence classes a search has seen: exact up to a million, then estimated.
#ifndef HEDDLE_EXPLORE_CLASS_COUNTER_H_
#define HEDDLE_EXPLORE_CLASS_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

// The estimate is HyperLogLog's (2^14 registers, standard error 0.8 %), kept from the first class
// on so that it is ready when the exact set is given up.
class ClassCounter {
 public:
  explicit ClassCounter(std::size_t exact_limit = std::size_t{1} << 20);

  // Whether it is new. Once the exact set is given up: whether it changed the estimate.
  bool Add(std::uint64_t class_hash);
  std::uint64_t Count() const;
  bool IsExact() const { return exact_; }

 private:
  bool Insert(std::uint64_t class_hash, std::uint64_t mixed);
  void Grow();

  std::size_t exact_limit_;
  bool exact_ = true;
  // All classes seen: a table with at least as many empty places (0), so that a run costs one of
  // them and no memory of its own. The class 0 is counted apart.
  std::vector<std::uint64_t> places_;
  std::size_t seen_ = 0;
  bool saw_zero_ = false;
  std::vector<std::uint8_t> registers_;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_CLASS_COUNTER_H_
