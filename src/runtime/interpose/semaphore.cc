// POSIX semaphores. The model counts; sem_t itself is kept in step for whoever looks at it
// natively.
#include <cerrno>

#include "runtime/engine.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/lifetime.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

// sem_destroy leaves a value there that no semaphore has. A place that is initialised or used for
// something else knows nothing of it.
constexpr unsigned kDestroyed = 0x80000000u + 0xdead;

unsigned* ValueIn(sem_t* semaphore) { return reinterpret_cast<unsigned*>(semaphore); }

// When the operation is done: others may have come since it was announced.
void CheckLives(Scheduler* scheduler, sem_t* semaphore, Object* object) {
  if (*ValueIn(semaphore) != kDestroyed) return;
  ReportMisuse(scheduler, object, "use of a semaphore that was destroyed");
}

// A semaphore that was initialised before heddle looked (or copied) starts with the value in
// memory.
Object* ObjectOf(sem_t* semaphore) {
  Object* object = Objects::FindAt(semaphore, ObjectKind::kSemaphore);
  if (object != nullptr) return object;
  object = Objects::At(semaphore, ObjectKind::kSemaphore);
  int value = 0;
  real::sem_getvalue(semaphore, &value);
  object->semaphore.value = static_cast<std::uint32_t>(value);
  return object;
}

void SetValue(Event* event, const Object* object) {
  event->value = object->semaphore.value;
  event->flags |= Event::kHasValue;
}

int Wait(Scheduler* scheduler, sem_t* semaphore, const Deadline& deadline, std::uint64_t site) {
  Object* const object = ObjectOf(semaphore);
  const auto reach = [&] {
    return scheduler->Reach({.kind = OpKind::kSemWait,
                             .object = object,
                             .second = ClockFor(scheduler, deadline),
                             .site = site,
                             .timed = deadline.is_set,
                             .deadline = deadline.at,
                             .interruptible = true});
  };
  TestCancel(scheduler);
  Outcome outcome = reach();
  // A request to end that came before its turn is acted on, even if nothing kept it from going on.
  while (outcome == kInterrupted || CancelIsDue(*scheduler->current())) {
    if (InterruptsCall(scheduler, object->semaphore.value)) {
      errno = EINTR;
      return -1;
    }
    outcome = reach();
  }
  CheckLives(scheduler, semaphore, object);
  if (outcome == Outcome::kTimeout) {
    scheduler->RecordFailed(Event::kTimedOut);
    errno = ETIMEDOUT;
    return -1;
  }
  Event* const event = scheduler->Record();
  object->semaphore.Wait();
  SetValue(event, object);
  real::sem_trywait(semaphore);
  scheduler->Reconsider(object);
  return 0;
}

}  // namespace
}  // namespace heddle

using heddle::Event;
using heddle::Object;
using heddle::OpKind;
using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned value) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) {
    heddle::BeginLife(scheduler, {semaphore, heddle::ObjectKind::kSemaphore}, HEDDLE_CALLER);
  }
  const int result = real::sem_init(semaphore, shared, value);
  if (scheduler != nullptr && result == 0) heddle::ObjectOf(semaphore)->semaphore.value = value;
  return result;
}

HEDDLE_EXPORT int sem_destroy(sem_t* semaphore) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) {
    heddle::EndLife(scheduler, {semaphore, heddle::ObjectKind::kSemaphore}, HEDDLE_CALLER);
  }
  const int result = real::sem_destroy(semaphore);
  if (scheduler != nullptr && result == 0) *heddle::ValueIn(semaphore) = heddle::kDestroyed;
  return result;
}

HEDDLE_EXPORT int sem_wait(sem_t* semaphore) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sem_wait(semaphore);
  return heddle::Wait(scheduler, semaphore, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sem_timedwait(semaphore, time);
  if (!heddle::IsValid(time)) {
    errno = EINVAL;
    return -1;
  }
  return heddle::Wait(scheduler, semaphore, heddle::DeadlineAt(scheduler, CLOCK_REALTIME, time),
                      HEDDLE_CALLER);
}

HEDDLE_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sem_clockwait(semaphore, clock, time);
  if (!heddle::IsWaitable(clock) || !heddle::IsValid(time)) {
    errno = EINVAL;
    return -1;
  }
  return heddle::Wait(scheduler, semaphore, heddle::DeadlineAt(scheduler, clock, time),
                      HEDDLE_CALLER);
}

HEDDLE_EXPORT int sem_trywait(sem_t* semaphore) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sem_trywait(semaphore);
  Object* const object = heddle::ObjectOf(semaphore);
  scheduler->Reach({.kind = OpKind::kSemTryWait, .object = object, .site = HEDDLE_CALLER});
  heddle::CheckLives(scheduler, semaphore, object);
  if (!object->semaphore.CanWait()) {
    scheduler->RecordFailed();
    errno = EAGAIN;
    return -1;
  }
  Event* const event = scheduler->Record();
  object->semaphore.Wait();
  heddle::SetValue(event, object);
  real::sem_trywait(semaphore);
  scheduler->Reconsider(object);
  return 0;
}

HEDDLE_EXPORT int sem_post(sem_t* semaphore) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sem_post(semaphore);
  Object* const object = heddle::ObjectOf(semaphore);
  scheduler->Reach({.kind = OpKind::kSemPost, .object = object, .site = HEDDLE_CALLER});
  heddle::CheckLives(scheduler, semaphore, object);
  if (object->semaphore.Post() != 0) {
    ReportMisuse(scheduler, object, "post of a semaphore that is at its greatest value");
  }
  Event* const event = scheduler->Record();
  heddle::SetValue(event, object);
  real::sem_post(semaphore);
  scheduler->Reconsider(object);
  return 0;
}

HEDDLE_EXPORT int sem_getvalue(sem_t* semaphore, int* value) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sem_getvalue(semaphore, value);
  Object* const object = heddle::ObjectOf(semaphore);
  scheduler->Reach({.kind = OpKind::kSemValue, .object = object, .site = HEDDLE_CALLER});
  heddle::CheckLives(scheduler, semaphore, object);
  heddle::SetValue(scheduler->Record(), object);
  *value = static_cast<int>(object->semaphore.value);
  return 0;
}
