// What one run is told: answers to replay first, then a rule for the rest.
//
// A Plan is flat: all a Policy may know beside this run's own decisions. So the same plan gives the
// same schedule forked, in process, from a checkpoint and in another worker.
#ifndef HEDDLE_TRACE_PLAN_H_
#define HEDDLE_TRACE_PLAN_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle {

// One answer of a recording. `options` lets a replay notice at once that it has left the road.
struct Answer {
  std::uint16_t chosen = 0;
  std::uint16_t options = 0;

  friend bool operator==(const Answer&, const Answer&) = default;
};

struct Plan {
  std::uint64_t run = 0;  // counts from 1; with `seed`, all the randomness there is
  std::uint64_t seed = 1;
  std::vector<Answer> prefix;
  std::string_view policy;                   // a row of the strategy registry, which has the text
  std::array<std::uint64_t, 8> params = {};  // meaning is the strategy's
  std::vector<std::uint8_t> data;            // learnt data, meaning is the strategy's
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_PLAN_H_
