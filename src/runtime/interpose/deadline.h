// Deadlines in virtual time. See interpose/time.cc for the clocks.
#ifndef HEDDLE_RUNTIME_INTERPOSE_DEADLINE_H_
#define HEDDLE_RUNTIME_INTERPOSE_DEADLINE_H_

#include <time.h>

#include <cstdint>

namespace heddle {

struct Object;
class Scheduler;

inline constexpr std::uint64_t kSecond = 1'000'000'000;

// The virtual wall clock starts here, every time: 2030-01-01 00:00:00 UTC; monotonic clocks start
// at 1000 s.
inline constexpr std::uint64_t kWallStart = 1893456000ull * kSecond;
inline constexpr std::uint64_t kMonotonicStart = 1000ull * kSecond;

struct Deadline {
  bool is_set = false;
  std::uint64_t at = 0;  // virtual nanoseconds
};

inline bool IsValid(const timespec* time) {
  return time->tv_nsec >= 0 && time->tv_nsec < static_cast<long>(kSecond);
}

inline std::uint64_t Nanoseconds(const timespec& time) {
  if (time.tv_sec < 0) return 0;
  constexpr std::uint64_t kFar = ~std::uint64_t{0} / 4;
  const auto seconds = static_cast<std::uint64_t>(time.tv_sec);
  if (seconds > kFar / kSecond) return kFar;
  return seconds * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

inline timespec Split(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / kSecond), static_cast<long>(nanoseconds % kSecond)};
}

// What pthread_*_clock* accept.
inline bool IsWaitable(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

// An absolute time on that clock.
Deadline DeadlineAt(Scheduler* scheduler, clockid_t clock, const timespec* time);
// A relative time from now on, and now may be later than when it is called: it may be a point.
Deadline DeadlineIn(Scheduler* scheduler, std::uint64_t nanoseconds, std::uint64_t site);
inline Deadline DeadlineIn(Scheduler* scheduler, const timespec* time, std::uint64_t site) {
  return DeadlineIn(scheduler, Nanoseconds(*time), site);
}

// What a wait with that time limit acts on beside its object: see MayLetTimePass.
Object* ClockFor(Scheduler* scheduler, const Deadline& deadline);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_DEADLINE_H_
