// What a counting semaphore is: pure.
#ifndef HEDDLE_MODEL_SEMAPHORE_H_
#define HEDDLE_MODEL_SEMAPHORE_H_

#include <cerrno>
#include <climits>
#include <cstdint>

namespace heddle {

struct Semaphore {
  std::uint32_t value = 0;

  bool CanWait() const { return value > 0; }
  void Wait() { --value; }  // only when CanWait

  int Post() {
    if (value >= INT_MAX) return EOVERFLOW;
    ++value;
    return 0;
  }
};

}  // namespace heddle

#endif  // HEDDLE_MODEL_SEMAPHORE_H_
