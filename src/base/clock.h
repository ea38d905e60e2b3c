// The only clocks heddle itself reads: seconds that never go back. Nothing that a schedule, a hash
// or a strategy depends on may come from here; budgets, rates and watchdogs do.
#ifndef HEDDLE_BASE_CLOCK_H_
#define HEDDLE_BASE_CLOCK_H_

#include <chrono>
#include <ctime>

namespace heddle {

inline double MonotonicSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// That this process has worked, which others on the machine do not change.
inline double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace heddle

#endif  // HEDDLE_BASE_CLOCK_H_
