#include "simulate/generate_clocks.h"

#include <utility>
#include <vector>

namespace heddle::simulate {
namespace {

constexpr Object kVariable = 0, kSemaphore = 1, kCondition = 2, kMutex = 3, kClock = 4;

// One or more steps that belong together.
std::vector<Step> Some(Rng& rng) {
  const auto deadline = static_cast<std::int64_t>(rng.Below(3)) + 1;
  const auto operand = static_cast<std::int64_t>(rng.Below(3));
  const bool again = rng.Below(2) == 0;
  switch (rng.Below(8)) {
    case 0:
      return {Sleep(kClock, deadline)};
    case 1:
      return {ReadTime(kClock).Into(0), Write(kVariable, Reg(0))};
    case 2:  // does something only if it is not late yet
      return {ReadTime(kClock).Unless(Is::kLess, operand, 1), Add(kVariable, Const(1))};
    case 3:
      return {TimedSemWait(kSemaphore).Into(1).Until(kClock, deadline)};
    case 4:
      return {SemPost(kSemaphore)};
    case 5:
      return {Lock(kMutex), TimedWait(kCondition, kMutex).Until(kClock, deadline), Unlock(kMutex)};
    case 6:
      return {again ? Signal(kCondition) : Broadcast(kCondition)};
    default:
      return {Read(kVariable).Into(2)};
  }
}

}  // namespace

Program Clocks(Rng& rng) {
  Program program;
  const bool three = rng.Below(3) == 0;
  for (int t = 0; t < (three ? 3 : 2); ++t) {
    std::vector<Step> steps;
    const int parts = three ? 1 : 2 + static_cast<int>(rng.Below(2));
    for (int i = 0; i < parts; ++i) {
      const std::vector<Step> more = Some(rng);
      steps.insert(steps.end(), more.begin(), more.end());
    }
    program.Thread(std::move(steps));
  }
  return program;
}

}  // namespace heddle::simulate
