// pthread condition variables. A wait is two events: it gives the mutex up and goes to sleep, and
// later takes the mutex again. Which of several waiters a signal reaches is a decision.
#include "runtime/interpose/condition.h"

#include <cerrno>

#include "runtime/engine.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/lifetime.h"
#include "runtime/interpose/mutex.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/failure.h"

namespace heddle {
namespace {

// The clock of pthread_condattr_setclock, where glibc keeps it.
clockid_t ClockOf(const pthread_cond_t* condition) {
  constexpr unsigned kMonotonicBit = 2;
  return (condition->__data.__wrefs & kMonotonicBit) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

// What glibc's pthread_cond_destroy leaves there.
constexpr unsigned kDestroyedBit = 4;

// When the operation is done: others may have come since it was announced.
void CheckLives(Scheduler* scheduler, const pthread_cond_t* condition, Object* queue) {
  if ((condition->__data.__wrefs & kDestroyedBit) == 0) return;
  ReportMisuse(scheduler, queue, "use of a condition variable that was destroyed");
}

}  // namespace

int WaitForCondition(Scheduler* scheduler, pthread_cond_t* condition, pthread_mutex_t* mutex,
                     const Deadline& deadline, std::uint64_t site) {
  Object* const queue = Objects::At(condition, ObjectKind::kCondition);
  Object* const lock = MutexObject(scheduler, mutex);
  const MutexType type = MutexTypeOf(mutex);
  Thread* const self = scheduler->current();

  TestCancel(scheduler);
  scheduler->Reach({.kind = OpKind::kWait, .object = queue, .second = lock, .site = site});
  TestCancel(scheduler);  // it may have come since, and must not find the thread asleep
  CheckLives(scheduler, condition, queue);
  if (lock->mutex.owner != self->id) {
    if (!type.checks_owner()) {
      ReportMisuse(scheduler, lock,
                   lock->mutex.owner == kNoThread
                       ? "wait for a condition with a mutex that is not locked"
                       : "wait for a condition with a mutex that another thread holds");
    }
    scheduler->Record()->flags |= Event::kFailed;
    return EPERM;
  }
  if (!queue->waiters.empty() && queue->mutex_of_waiters != lock) {
    ReportMisuse(scheduler, queue, "threads wait for a condition with different mutexes");
  }
  queue->mutex_of_waiters = lock;
  Event* const event = scheduler->Record(lock->id, kNoThread);  // an event has one object
  if (deadline.is_set) event->flags |= Event::kMayTimeOut;
  // Waking up for nothing at once covers doing so later: when the mutex is taken again is open.
  const bool is_for_nothing = engine.channel->config.spurious_wakeups != 0 &&
                              !self->woke_for_nothing &&
                              scheduler->ChooseOutcome() != Outcome::kNormal;
  const std::uint32_t depth = ReleaseForWait(scheduler, mutex, lock);

  self->relock = lock;
  if (is_for_nothing) {
    // Once: a loop around the wait would go round for ever.
    self->woke_for_nothing = true;
    self->relock = nullptr;
    event->flags |= Event::kFailed;
    scheduler->Reach(
        {.kind = OpKind::kLock, .object = lock, .site = site, .mutex_kind = type.kind});
    const int error = RetakeAfterWait(scheduler, mutex, lock, depth, site);
    TestCancel(scheduler);
    return error;
  }
  const Outcome outcome = scheduler->SleepIn(queue, {.kind = OpKind::kWake,
                                                     .object = queue,
                                                     .second = ClockFor(scheduler, deadline),
                                                     .site = site,
                                                     .timed = deadline.is_set,
                                                     .deadline = deadline.at,
                                                     .mutex_kind = type.kind,
                                                     .interruptible = true});
  if (outcome != Outcome::kNormal) {
    scheduler->Record()->flags |= outcome == Outcome::kTimeout ? Event::kTimedOut : Event::kFailed;
    if (outcome == kInterrupted) scheduler->Attend();  // then it wakes up for nothing
    scheduler->Reach(
        {.kind = OpKind::kLock, .object = lock, .site = site, .mutex_kind = type.kind});
  } else {
    scheduler->Relocking(lock);
  }
  const int error = RetakeAfterWait(scheduler, mutex, lock, depth, site);
  TestCancel(scheduler);
  if (error != 0) return error;
  return outcome == Outcome::kTimeout ? ETIMEDOUT : 0;
}

void SignalCondition(Scheduler* scheduler, pthread_cond_t* condition, bool all,
                     std::uint64_t site) {
  Object* const queue = Objects::At(condition, ObjectKind::kCondition);
  scheduler->Reach(
      {.kind = all ? OpKind::kBroadcast : OpKind::kSignal, .object = queue, .site = site});
  CheckLives(scheduler, condition, queue);
  Event* const event = scheduler->Record();
  event->value = queue->waiters.size();
  event->flags |= Event::kHasValue;
  if (queue->waiters.empty()) return;
  if (all) {
    while (!queue->waiters.empty()) scheduler->Wake(queue, queue->waiters.threads()[0]);
    return;
  }
  const ThreadId woken = scheduler->ChooseWaiter(queue);
  event->other = woken;
  scheduler->Wake(queue, woken);
}

void EndConditionLife(Scheduler* scheduler, pthread_cond_t* condition, std::uint64_t site) {
  EndLife(scheduler, {condition, ObjectKind::kCondition}, site);
  condition->__data.__wrefs |= kDestroyedBit;
}

}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_cond_init(pthread_cond_t* condition,
                                    const pthread_condattr_t* attributes) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) {
    heddle::BeginLife(scheduler, {condition, heddle::ObjectKind::kCondition}, HEDDLE_CALLER);
  }
  return real::pthread_cond_init(condition, attributes);
}

HEDDLE_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_cond_destroy(condition);
  heddle::EndConditionLife(scheduler, condition, HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_cond_wait(condition, mutex);
  return heddle::WaitForCondition(scheduler, condition, mutex, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                         const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_cond_timedwait(condition, mutex, time);
  if (!heddle::IsValid(time)) return EINVAL;
  const heddle::Deadline deadline = heddle::DeadlineAt(scheduler, heddle::ClockOf(condition), time);
  return heddle::WaitForCondition(scheduler, condition, mutex, deadline, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                         clockid_t clock, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_cond_clockwait(condition, mutex, clock, time);
  if (!heddle::IsWaitable(clock) || !heddle::IsValid(time)) return EINVAL;
  const heddle::Deadline deadline = heddle::DeadlineAt(scheduler, clock, time);
  return heddle::WaitForCondition(scheduler, condition, mutex, deadline, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_cond_signal(pthread_cond_t* condition) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_cond_signal(condition);
  heddle::SignalCondition(scheduler, condition, false, HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_cond_broadcast(condition);
  heddle::SignalCondition(scheduler, condition, true, HEDDLE_CALLER);
  return 0;
}
