// alarm, ualarm, setitimer, timer_create and their relatives.
#include "runtime/interpose/timers.h"

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/engine.h"
#include "runtime/interpose/entropy.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/signal_timers.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/worker/timestamp.h"
#include "trace/unseen_thread.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMicrosecond = 1000;

int Fail(int error) {
  errno = error;
  return -1;
}

SignalTimer::Notice Signalling(int signal, int code) {
  SignalTimer::Notice notice;
  notice.info.si_signo = signal;
  notice.info.si_code = code;
  return notice;
}

// The process's own, which alarm and setitimer share.
std::optional<SignalTimer>* alarm_timer = nullptr;

SignalTimer* Alarm() {
  const EngineScope scope;
  if (alarm_timer == nullptr) alarm_timer = new std::optional<SignalTimer>();
  if (!*alarm_timer) alarm_timer->emplace("alarm", Signalling(SIGALRM, SI_KERNEL));
  return &**alarm_timer;
}

bool IsTime(const timeval& time) {
  return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000;
}

std::uint64_t NanosecondsOf(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
         static_cast<std::uint64_t>(time.tv_usec) * kMicrosecond;
}

timeval SplitToMicroseconds(std::uint64_t time) {
  return {static_cast<time_t>(time / kSecond),
          static_cast<suseconds_t>(time % kSecond / kMicrosecond)};
}

SignalTimer::Left SetAlarm(Scheduler* scheduler, std::uint64_t time, std::uint64_t interval,
                           std::uint64_t site) {
  if (time == 0) return Alarm()->Clear(scheduler, site);
  return Alarm()->Set(scheduler, {DeadlineIn(scheduler, time, site).at, interval}, site);
}

// What timer_create made, other than those that libc has a thread for.
struct CreatedTimer {
  clockid_t clock;
  SignalTimer timer;
};
std::vector<std::unique_ptr<CreatedTimer>>* created = nullptr;

CreatedTimer* Find(timer_t id) {
  if (created == nullptr) return nullptr;
  for (const auto& timer : *created) {
    if (timer.get() == id) return timer.get();
  }
  return nullptr;
}

SignalTimer::Notice NoticeOf(const Scheduler* scheduler, const sigevent* event) {
  SignalTimer::Notice notice =
      Signalling(event == nullptr ? SIGALRM : event->sigev_signo, SI_TIMER);
  if (event == nullptr) return notice;
  notice.info.si_value = event->sigev_value;
  notice.is_sent = event->sigev_notify != SIGEV_NONE;
  if (event->sigev_notify == SIGEV_THREAD_ID) {
    const auto thread = static_cast<ThreadId>(event->_sigev_un._tid - kVirtualProcess);
    notice.target = scheduler->ThreadById(thread);
  }
  return notice;
}

bool IsRight(const Scheduler* scheduler, const sigevent* event) {
  if (event == nullptr || event->sigev_notify == SIGEV_NONE) return true;
  if (event->sigev_signo <= 0 || event->sigev_signo >= NSIG) return false;
  if (event->sigev_notify == SIGEV_SIGNAL) return true;
  const pid_t thread = event->_sigev_un._tid - kVirtualProcess;
  return event->sigev_notify == SIGEV_THREAD_ID && thread >= 0 &&
         static_cast<std::size_t>(thread) < scheduler->thread_count();
}

itimerval ToldInMicroseconds(const SignalTimer::Left& left) {
  return {SplitToMicroseconds(left.interval), SplitToMicroseconds(left.time)};
}

itimerspec Told(const SignalTimer::Left& left) { return {Split(left.interval), Split(left.time)}; }

}  // namespace

void ForgetTimers() {
  if (alarm_timer != nullptr) alarm_timer->reset();
  if (created != nullptr) created->clear();
  ForgetSignalTimers();
}

}  // namespace heddle

using heddle::Scheduler;
using heddle::SignalTimer;

HEDDLE_EXPORT unsigned alarm(unsigned seconds) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(alarm)(seconds);
  const SignalTimer::Left left =
      heddle::SetAlarm(scheduler, seconds * heddle::kSecond, 0, HEDDLE_CALLER);
  if (left.time == 0) return 0;
  // As Linux rounds it: never to none.
  return static_cast<unsigned>(
      std::max<std::uint64_t>((left.time + heddle::kSecond / 2) / heddle::kSecond, 1));
}

HEDDLE_EXPORT useconds_t ualarm(useconds_t time, useconds_t interval) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(ualarm)(time, interval);
  const SignalTimer::Left left = heddle::SetAlarm(scheduler, time * heddle::kMicrosecond,
                                                  interval * heddle::kMicrosecond, HEDDLE_CALLER);
  return static_cast<useconds_t>(left.time / heddle::kMicrosecond);
}

HEDDLE_EXPORT int setitimer(__itimer_which_t which, const itimerval* value,
                            itimerval* old) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr && which != ITIMER_REAL && scheduler->thread_count() > 1) {
    scheduler->Uncontrolled("setitimer", "its signal arrives at a time that heddle does not choose",
                            HEDDLE_CALLER);
  }
  if (scheduler == nullptr || which != ITIMER_REAL)
    return HEDDLE_NEXT(setitimer)(which, value, old);
  constexpr itimerval kNever = {};
  if (value == nullptr) value = &kNever;  // as Linux has it
  if (!heddle::IsTime(value->it_value) || !heddle::IsTime(value->it_interval)) {
    return heddle::Fail(EINVAL);
  }
  const SignalTimer::Left left =
      heddle::SetAlarm(scheduler, heddle::NanosecondsOf(value->it_value),
                       heddle::NanosecondsOf(value->it_interval), HEDDLE_CALLER);
  if (old != nullptr) *old = heddle::ToldInMicroseconds(left);
  return 0;
}

HEDDLE_EXPORT int getitimer(__itimer_which_t which, itimerval* value) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || which != ITIMER_REAL) return HEDDLE_NEXT(getitimer)(which, value);
  *value = heddle::ToldInMicroseconds(heddle::Alarm()->Look(scheduler));
  return 0;
}

HEDDLE_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* id) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(timer_create)(clock, event, id);
  if (event != nullptr && event->sigev_notify == SIGEV_THREAD) {
    // The thread that libc makes inherits the trap, blocks the signal that answers it, and may be
    // at the other end of any pipe.
    heddle::FreeTimestampCounter();
    heddle::ForgetInside();
    scheduler->Uncontrolled("timer_create", heddle::kStartsUnseenThread, HEDDLE_CALLER);
    return HEDDLE_NEXT(timer_create)(clock, event, id);
  }
  if (!heddle::IsRight(scheduler, event)) return heddle::Fail(EINVAL);
  timespec resolution;
  if (clock_getres(clock, &resolution) != 0) return -1;
  const SignalTimer::Notice notice = heddle::NoticeOf(scheduler, event);
  const heddle::EngineScope scope;
  if (heddle::created == nullptr) {
    heddle::created = new std::vector<std::unique_ptr<heddle::CreatedTimer>>();
  }
  const auto made = heddle::created
                        ->emplace_back(std::make_unique<heddle::CreatedTimer>(
                            heddle::CreatedTimer{clock, SignalTimer("timer", notice)}))
                        .get();
  *id = made;
  return 0;
}

HEDDLE_EXPORT int timer_settime(timer_t id, int flags, const itimerspec* value,
                                itimerspec* old) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  heddle::CreatedTimer* const timer = scheduler == nullptr ? nullptr : heddle::Find(id);
  if (timer == nullptr) return HEDDLE_NEXT(timer_settime)(id, flags, value, old);
  if (!heddle::IsValid(&value->it_value) || !heddle::IsValid(&value->it_interval)) {
    return heddle::Fail(EINVAL);
  }
  SignalTimer::Left left;
  if (heddle::Nanoseconds(value->it_value) == 0) {
    left = timer->timer.Clear(scheduler, HEDDLE_CALLER);
  } else {
    const heddle::Deadline deadline = (flags & TIMER_ABSTIME) != 0
                                          ? DeadlineAt(scheduler, timer->clock, &value->it_value)
                                          : DeadlineIn(scheduler, &value->it_value, HEDDLE_CALLER);
    left = timer->timer.Set(scheduler, {deadline.at, heddle::Nanoseconds(value->it_interval)},
                            HEDDLE_CALLER);
  }
  if (old != nullptr) *old = heddle::Told(left);
  return 0;
}

HEDDLE_EXPORT int timer_gettime(timer_t id, itimerspec* value) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  const heddle::CreatedTimer* const timer = scheduler == nullptr ? nullptr : heddle::Find(id);
  if (timer == nullptr) return HEDDLE_NEXT(timer_gettime)(id, value);
  *value = heddle::Told(timer->timer.Look(scheduler));
  return 0;
}

HEDDLE_EXPORT int timer_getoverrun(timer_t id) noexcept {
  const Scheduler* const scheduler = Scheduler::OfThisThread();
  const heddle::CreatedTimer* const timer = scheduler == nullptr ? nullptr : heddle::Find(id);
  return timer == nullptr ? HEDDLE_NEXT(timer_getoverrun)(id) : timer->timer.overruns();
}

HEDDLE_EXPORT int timer_delete(timer_t id) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  heddle::CreatedTimer* const timer = scheduler == nullptr ? nullptr : heddle::Find(id);
  if (timer == nullptr) return HEDDLE_NEXT(timer_delete)(id);
  timer->timer.Clear(scheduler, HEDDLE_CALLER);
  std::erase_if(*heddle::created, [timer](const auto& one) { return one.get() == timer; });
  return 0;
}
