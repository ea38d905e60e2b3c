// The machine's clock, for the engine itself: the program's time is virtual.
#ifndef HEDDLE_RUNTIME_REAL_TIME_H_
#define HEDDLE_RUNTIME_REAL_TIME_H_

#include <time.h>

#include <cstdint>

#include "base/raw_syscall.h"

namespace heddle {

// Not through the vDSO: the time-stamp counter is the program's, and virtual.
inline std::uint64_t RealNanoseconds() {
  timespec now = {};
  RawSyscall(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_REAL_TIME_H_
