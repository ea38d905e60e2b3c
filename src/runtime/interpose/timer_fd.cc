// timerfd in virtual time: the real one stays disarmed until the virtual clock has come to its
// time; then it is made ready, so that poll, epoll and read find it so.
#include <poll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/real.h"

namespace heddle {
namespace {

struct Timer {
  int descriptor = -1;
  clockid_t clock = CLOCK_MONOTONIC;
  bool is_armed = false;
  bool was_armed = false;      // ever
  std::uint64_t at = 0;        // virtual nanoseconds
  std::uint64_t interval = 0;  // 0 = once
  std::uint64_t expired = 0;   // times since it was last read or set
};
std::vector<Timer>* timers = nullptr;

Timer* Find(int descriptor) {
  if (timers == nullptr) return nullptr;
  const auto at = std::find_if(timers->begin(), timers->end(), [descriptor](const Timer& timer) {
    return timer.descriptor == descriptor;
  });
  return at == timers->end() ? nullptr : &*at;
}

void Disarm(int descriptor) {
  const itimerspec never = {};
  real::timerfd_settime(descriptor, 0, &never, nullptr);
}

// Past already, so it expires as soon as it is set.
void MakeReady(int descriptor) {
  const itimerspec past = {{0, 0}, {0, 1}};
  real::timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &past, nullptr);
  pollfd one = {descriptor, POLLIN, 0};
  while (RawSyscall(SYS_poll, reinterpret_cast<long>(&one), 1, 0) == 0) {
  }
}

itimerspec Remaining(const Timer& timer, std::uint64_t now) {
  if (!timer.is_armed) return {};
  return {Split(timer.interval), Split(timer.at > now ? timer.at - now : 1)};
}

}  // namespace

Deadline EarliestTimer() {
  Deadline earliest;
  if (timers == nullptr) return earliest;
  for (const Timer& timer : *timers) {
    if (timer.is_armed && (!earliest.is_set || timer.at < earliest.at)) earliest = {true, timer.at};
  }
  return earliest;
}

void FireTimers(std::uint64_t now) {
  if (timers == nullptr) return;
  for (Timer& timer : *timers) {
    if (!timer.is_armed || timer.at > now) continue;
    MakeReady(timer.descriptor);
    timer.is_armed = timer.interval != 0;
    const std::uint64_t more = timer.is_armed ? (now - timer.at) / timer.interval : 0;
    timer.at += (more + 1) * timer.interval;
    timer.expired += more + 1;
  }
}

std::uint64_t TakeExpirations(int descriptor) {
  Timer* const timer = Find(descriptor);
  return timer == nullptr ? 0 : std::exchange(timer->expired, 0);
}

bool IsIdleTimer(int descriptor) {
  const Timer* const timer = Find(descriptor);
  return timer != nullptr && !timer->was_armed;
}

void ForgetTimer(int descriptor) {
  const Timer* const timer = Find(descriptor);
  if (timer != nullptr) timers->erase(timers->begin() + (timer - timers->data()));
}

}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int timerfd_create(int clock, int flags) noexcept {
  Scheduler* const scheduler = heddle::IoScheduler();
  const int descriptor = real::timerfd_create(clock, flags);
  if (scheduler == nullptr || descriptor < 0) return descriptor;
  if (heddle::timers == nullptr) heddle::timers = new std::vector<heddle::Timer>();
  heddle::timers->push_back({.descriptor = descriptor, .clock = clock});
  heddle::SetInside(descriptor, true);
  return descriptor;
}

HEDDLE_EXPORT int timerfd_settime(int descriptor, int flags, const itimerspec* time,
                                  itimerspec* old) noexcept {
  Scheduler* const scheduler = heddle::IoScheduler();
  heddle::Timer* timer = scheduler == nullptr ? nullptr : heddle::Find(descriptor);
  if (timer == nullptr) return real::timerfd_settime(descriptor, flags, time, old);
  if (!heddle::IsValid(&time->it_value) || !heddle::IsValid(&time->it_interval)) {
    errno = EINVAL;
    return -1;
  }
  heddle::AwaitIo(scheduler, {.kind = heddle::OpKind::kDescriptor, .site = HEDDLE_CALLER});
  timer = heddle::Find(descriptor);  // others ran meanwhile
  heddle::FireTimers(scheduler->Now());
  if (old != nullptr) *old = heddle::Remaining(*timer, scheduler->Now());
  heddle::Disarm(descriptor);
  timer->expired = 0;
  timer->is_armed = heddle::Nanoseconds(time->it_value) != 0;
  timer->was_armed = timer->was_armed || timer->is_armed;
  timer->interval = heddle::Nanoseconds(time->it_interval);
  timer->at = (flags & TFD_TIMER_ABSTIME) != 0
                  ? heddle::DeadlineAt(scheduler, timer->clock, &time->it_value).at
                  : scheduler->Now() + heddle::Nanoseconds(time->it_value);
  // Whoever waits for descriptors waits no longer than to that time.
  if (timer->is_armed) scheduler->LimitIoWaits(timer->at);
  heddle::FinishIo(scheduler, 0);
  heddle::DescribeAgain(scheduler);
  return 0;
}

HEDDLE_EXPORT int timerfd_gettime(int descriptor, itimerspec* time) noexcept {
  Scheduler* const scheduler = heddle::IoScheduler();
  const heddle::Timer* const timer = scheduler == nullptr ? nullptr : heddle::Find(descriptor);
  if (timer == nullptr) return real::timerfd_gettime(descriptor, time);
  heddle::FireTimers(scheduler->Now());
  *time = heddle::Remaining(*timer, scheduler->Now());
  return 0;
}
