// What a barrier is: pure. The last of `count` threads to arrive lets all of them go.
#ifndef HEDDLE_MODEL_BARRIER_H_
#define HEDDLE_MODEL_BARRIER_H_

#include <cstdint>

namespace heddle {

struct Barrier {
  std::uint32_t count = 0;    // how many meet here; 0 = not initialised
  std::uint32_t arrived = 0;  // in this round

  // True: the caller is the last, and the round is over.
  bool Arrive() {
    if (++arrived < count) return false;
    arrived = 0;
    return true;
  }
};

}  // namespace heddle

#endif  // HEDDLE_MODEL_BARRIER_H_
