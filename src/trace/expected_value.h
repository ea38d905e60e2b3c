// What a compare-exchange expects, in the 16 bits that an event has room for.
//
// A search has to know whether one that ran behind a write would have failed before it, too
// (RunOrder::WouldDepend). Values below 32,768 are kept as they are, larger ones as a hash: two
// that look different are different, two that look the same may not be.
#ifndef HEDDLE_TRACE_EXPECTED_VALUE_H_
#define HEDDLE_TRACE_EXPECTED_VALUE_H_

#include <cstdint>

#include "base/hash.h"
#include "base/ids.h"

namespace heddle {

// Never kNoThread, which stands for "no compare-exchange".
constexpr std::uint16_t FoldedValue(std::uint64_t value) {
  if (value < 0x8000) return static_cast<std::uint16_t>(value);
  const auto folded = static_cast<std::uint16_t>(0x8000 | (Mix(value) & 0x7fff));
  return folded == kNoThread ? std::uint16_t{0x8000} : folded;
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_EXPECTED_VALUE_H_
