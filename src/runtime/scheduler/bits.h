// Sets of threads as words of bits; the number of members is kept beside them.
#ifndef HEDDLE_RUNTIME_SCHEDULER_BITS_H_
#define HEDDLE_RUNTIME_SCHEDULER_BITS_H_

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace heddle {

inline void SetBit(std::vector<std::uint64_t>& set, std::uint32_t& count, ThreadId thread,
                   bool value) {
  std::uint64_t& word = set[thread / 64];
  const std::uint64_t bit = std::uint64_t{1} << (thread % 64);
  const bool before = (word & bit) != 0;
  if (before == value) return;
  word ^= bit;
  count += value ? 1 : -1;
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_BITS_H_
