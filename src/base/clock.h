// The only clock heddle itself reads: seconds that never go back. Nothing that a schedule, a hash or
// a strategy depends on may come from here; budgets, rates and watchdogs do.
#ifndef HEDDLE_BASE_CLOCK_H_
#define HEDDLE_BASE_CLOCK_H_

#include <chrono>

namespace heddle {

inline double MonotonicSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace heddle

#endif  // HEDDLE_BASE_CLOCK_H_
