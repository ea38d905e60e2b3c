// Time is virtual: nobody sleeps, a sleeping thread is an option whose choice moves the clock.
//
// A thread that reads the clock again and again without doing anything else is waiting for time to
// pass: its re-reads become sleeps of growing length, so `while (now() < deadline);` ends.
//
// Reading it is part of the turn before, until a run shows that somebody reads it while time passes
// for somebody else. From then on (Rule::kClock) it is a point, and so is asking what time it is to
// tell when a wait is to end.
#include <sched.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>

#include <algorithm>
#include <cerrno>

#include "runtime/engine.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/rules.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

constexpr std::uint64_t kTick = 1000;                // a clock read takes a microsecond
constexpr std::uint64_t kLongestPoll = 100'000'000;  // a poll waits at most a tenth of a second

// CPU time of one process or thread: as virtual as the rest, it stands for time spent computing.
std::uint64_t StartOf(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return kWallStart;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return 0;
    default:
      return kMonotonicStart;
  }
}

// Those of processes and threads have negative numbers.
bool IsClock(clockid_t clock) {
  constexpr clockid_t kLast = CLOCK_TAI, kNone = 10;
  return clock <= kLast && clock != kNone;
}

// What can be slept by, of those that have a number of their own.
bool IsSleepable(clockid_t clock) {
  return IsClock(clock) && clock != CLOCK_THREAD_CPUTIME_ID && clock != CLOCK_MONOTONIC_RAW &&
         clock != CLOCK_REALTIME_COARSE && clock != CLOCK_MONOTONIC_COARSE;
}

// 0, or what was left of it when a handler ran.
std::uint64_t Sleep(Scheduler* scheduler, std::uint64_t until, std::uint64_t site) {
  TestCancel(scheduler);
  for (;;) {
    const Outcome outcome = scheduler->Reach({.kind = OpKind::kSleep,
                                              .object = scheduler->clock_object(),
                                              .site = site,
                                              .timed = true,
                                              .deadline = until,
                                              .interruptible = true});
    Event* const event = scheduler->Record();
    if (outcome != kInterrupted) return 0;
    event->flags |= Event::kFailed;
    TestCancel(scheduler);
    const std::uint64_t now = scheduler->Now();
    if (scheduler->Attend().any) return until > now ? until - now : 1;
  }
}

// A point, if the rule says so; false: it does not.
bool ReachClock(Scheduler* scheduler, std::uint64_t site) {
  if (!Rules::Has(Rule::kClock) || scheduler->is_alone()) return false;
  scheduler->Reach({.kind = OpKind::kTime, .object = scheduler->clock_object(), .site = site});
  scheduler->Record();
  return true;
}

std::uint64_t ReadClock(Scheduler* scheduler, std::uint64_t site) {
  Thread* const self = scheduler->current();
  if (self->events == self->events_at_clock_read && scheduler->live_count() > 0) {
    const std::uint64_t step =
        std::min(kTick << std::min<std::uint64_t>(self->clock_polls, 20), kLongestPoll);
    // The first few re-reads are ordinary code (start, end, difference); then it is polling.
    if (++self->clock_polls > 3) {
      const std::uint64_t polls = self->clock_polls;
      Sleep(scheduler, scheduler->Now() + step, site);
      self->clock_polls = polls;
    }
  } else {
    self->clock_polls = 0;
  }
  if (!ReachClock(scheduler, site)) {
    scheduler->RecordDirectly(OpKind::kClock, scheduler->clock_object(), site);
  }
  scheduler->AdvanceTo(scheduler->Now() + kTick);
  if (!scheduler->is_alone()) self->reads_clock = true;
  self->events_at_clock_read = self->events;
  return scheduler->Now();
}

std::uint64_t SleepFor(Scheduler* scheduler, std::uint64_t nanoseconds, std::uint64_t site) {
  return Sleep(scheduler, DeadlineIn(scheduler, nanoseconds, site).at, site);
}

}  // namespace

Deadline DeadlineAt(Scheduler* scheduler, clockid_t clock, const timespec* time) {
  const std::uint64_t at = Nanoseconds(*time);
  const std::uint64_t start = StartOf(clock);
  return {true, std::max(at > start ? at - start : 0, scheduler->Now())};
}

Deadline DeadlineIn(Scheduler* scheduler, std::uint64_t nanoseconds, std::uint64_t site) {
  if (nanoseconds != 0) ReachClock(scheduler, site);
  return {true, scheduler->Now() + nanoseconds};
}

Object* ClockFor(Scheduler* scheduler, const Deadline& deadline) {
  return deadline.is_set && Rules::Has(Rule::kClock) ? scheduler->clock_object() : nullptr;
}

}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int clock_gettime(clockid_t clock, timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::clock_gettime(clock, time);
  if (!heddle::IsClock(clock)) {
    errno = EINVAL;
    return -1;
  }
  *time = heddle::Split(heddle::StartOf(clock) + heddle::ReadClock(scheduler, HEDDLE_CALLER));
  return 0;
}

HEDDLE_EXPORT int gettimeofday(timeval* __restrict time, void* __restrict zone) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::gettimeofday(time, zone);
  const timespec now =
      heddle::Split(heddle::kWallStart + heddle::ReadClock(scheduler, HEDDLE_CALLER));
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

HEDDLE_EXPORT time_t time(time_t* out) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::time(out);
  const timespec now =
      heddle::Split(heddle::kWallStart + heddle::ReadClock(scheduler, HEDDLE_CALLER));
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

HEDDLE_EXPORT int timespec_get(timespec* time, int base) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::timespec_get(time, base);
  if (base != TIME_UTC) return 0;
  *time = heddle::Split(heddle::kWallStart + heddle::ReadClock(scheduler, HEDDLE_CALLER));
  return base;
}

// Time spent computing is as virtual as the rest.
HEDDLE_EXPORT clock_t clock() noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(clock)();
  constexpr std::uint64_t kUnit = heddle::kSecond / CLOCKS_PER_SEC;
  return static_cast<clock_t>(heddle::ReadClock(scheduler, HEDDLE_CALLER) / kUnit);
}

HEDDLE_EXPORT clock_t times(tms* spent) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(times)(spent);
  constexpr std::uint64_t kTicks = 100;  // a second, whatever the machine
  const std::uint64_t now = heddle::ReadClock(scheduler, HEDDLE_CALLER);
  const auto computed = static_cast<clock_t>(now / (heddle::kSecond / kTicks));
  if (spent != nullptr) *spent = {computed, 0, 0, 0};
  return static_cast<clock_t>((heddle::kMonotonicStart + now) / (heddle::kSecond / kTicks));
}

HEDDLE_EXPORT int nanosleep(const timespec* time, timespec* rest) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::nanosleep(time, rest);
  if (!heddle::IsValid(time) || time->tv_sec < 0) {
    errno = EINVAL;
    return -1;
  }
  const std::uint64_t left = heddle::SleepFor(scheduler, heddle::Nanoseconds(*time), HEDDLE_CALLER);
  if (left == 0) return 0;
  if (rest != nullptr) *rest = heddle::Split(left);
  errno = EINTR;
  return -1;
}

HEDDLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                  timespec* rest) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::clock_nanosleep(clock, flags, time, rest);
  if (!heddle::IsSleepable(clock) || !heddle::IsValid(time) || time->tv_sec < 0) return EINVAL;
  const std::uint64_t left =
      (flags & TIMER_ABSTIME) != 0
          ? heddle::Sleep(scheduler, heddle::DeadlineAt(scheduler, clock, time).at, HEDDLE_CALLER)
          : heddle::SleepFor(scheduler, heddle::Nanoseconds(*time), HEDDLE_CALLER);
  if (left == 0) return 0;
  if (rest != nullptr && (flags & TIMER_ABSTIME) == 0) *rest = heddle::Split(left);
  return EINTR;
}

HEDDLE_EXPORT int usleep(useconds_t microseconds) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::usleep(microseconds);
  const std::uint64_t nanoseconds = microseconds * std::uint64_t{1000};
  if (heddle::SleepFor(scheduler, nanoseconds, HEDDLE_CALLER) == 0) return 0;
  errno = EINTR;
  return -1;
}

HEDDLE_EXPORT unsigned sleep(unsigned seconds) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sleep(seconds);
  const std::uint64_t left = heddle::SleepFor(scheduler, seconds * heddle::kSecond, HEDDLE_CALLER);
  return static_cast<unsigned>(left / heddle::kSecond);  // as glibc says it
}

HEDDLE_EXPORT int thrd_sleep(const timespec* time, timespec* rest) {
  constexpr int kRefused = -2;
  const int result = nanosleep(time, rest);
  return result == 0 || errno == EINTR ? result : kRefused;
}

HEDDLE_EXPORT int sched_yield() {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sched_yield();
  scheduler->Reach({.kind = heddle::OpKind::kYield, .site = HEDDLE_CALLER});
  scheduler->Record();
  return 0;
}

HEDDLE_EXPORT void thrd_yield() { sched_yield(); }
