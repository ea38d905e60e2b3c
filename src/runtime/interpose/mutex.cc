// pthread mutexes. They block in the model, never in the kernel; the real mutex is kept in step, so
// that its owner and destroy's verdict stay right.
#include "runtime/interpose/mutex.h"

#include <cerrno>

#include "runtime/engine.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

MutexKind KindOf(const pthread_mutex_t* mutex) {
  switch (mutex->__data.__kind & 3) {
    case PTHREAD_MUTEX_RECURSIVE_NP:
      return MutexKind::kRecursive;
    case PTHREAD_MUTEX_ERRORCHECK_NP:
      return MutexKind::kErrorCheck;
    default:
      return MutexKind::kNormal;
  }
}

Object* ObjectOf(pthread_mutex_t* mutex) { return Objects::At(mutex, ObjectKind::kMutex); }

void TakeReal(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site) {
  if (real::pthread_mutex_trylock(mutex) != 0) {
    scheduler->Uncontrolled(
        "a mutex changed behind heddle's back",
        "somebody writes over it or locks it unseen; lock order is not to be trusted", site);
  }
}

int Lock(Scheduler* scheduler, pthread_mutex_t* mutex, const Deadline& deadline,
         std::uint64_t site) {
  Object* const object = ObjectOf(mutex);
  const MutexKind kind = KindOf(mutex);
  const ThreadId self = scheduler->current()->id;
  const Outcome outcome = scheduler->Reach({.kind = OpKind::kLock,
                                            .object = object,
                                            .site = site,
                                            .timed = deadline.is_set,
                                            .deadline = deadline.at,
                                            .mutex_kind = kind});
  if (outcome == Outcome::kTimeout) {
    scheduler->Record()->flags |= Event::kTimedOut;
    return ETIMEDOUT;
  }
  const int error = object->mutex.Lock(self, kind);
  Event* const event = scheduler->Record();
  if (error != 0) {
    event->flags |= Event::kFailed;
    return error;
  }
  TakeReal(scheduler, mutex, site);
  scheduler->Reconsider(object);
  return 0;
}

}  // namespace

// Shared with condition variables.
Object* MutexObject(pthread_mutex_t* mutex) { return ObjectOf(mutex); }
MutexKind MutexKindOf(const pthread_mutex_t* mutex) { return KindOf(mutex); }
void TakeRealMutex(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site) {
  TakeReal(scheduler, mutex, site);
}

}  // namespace heddle

using heddle::Event;
using heddle::MutexKind;
using heddle::Object;
using heddle::OpKind;
using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex,
                                     const pthread_mutexattr_t* attributes) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) {
    Object* const old = heddle::Objects::FindAt(mutex, heddle::ObjectKind::kMutex);
    if (old != nullptr && old->pending == nullptr) heddle::Objects::Forget(old);
  }
  return real::pthread_mutex_init(mutex, attributes);
}

HEDDLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  const int error = real::pthread_mutex_destroy(mutex);
  if (scheduler != nullptr && error == 0) {
    Object* const object = heddle::Objects::FindAt(mutex, heddle::ObjectKind::kMutex);
    if (object != nullptr && object->pending == nullptr) heddle::Objects::Forget(object);
  }
  return error;
}

HEDDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_lock(mutex);
  return heddle::Lock(scheduler, mutex, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_timedlock(mutex, time);
  if (!heddle::IsValid(time)) return EINVAL;
  return heddle::Lock(scheduler, mutex, heddle::DeadlineAt(scheduler, CLOCK_REALTIME, time),
                      HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_clocklock(mutex, clock, time);
  if (!heddle::IsValid(time)) return EINVAL;
  return heddle::Lock(scheduler, mutex, heddle::DeadlineAt(scheduler, clock, time), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_trylock(mutex);
  Object* const object = heddle::MutexObject(mutex);
  scheduler->Reach({.kind = OpKind::kTryLock, .object = object, .site = HEDDLE_CALLER});
  const int error = object->mutex.TryLock(scheduler->current()->id, heddle::MutexKindOf(mutex));
  Event* const event = scheduler->Record();
  if (error != 0) {
    event->flags |= Event::kFailed;
    return error;
  }
  heddle::TakeRealMutex(scheduler, mutex, HEDDLE_CALLER);
  scheduler->Reconsider(object);
  return 0;
}

HEDDLE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_unlock(mutex);
  Object* const object = heddle::MutexObject(mutex);
  scheduler->Reach({.kind = OpKind::kUnlock, .object = object, .site = HEDDLE_CALLER});
  const int error = object->mutex.Unlock(scheduler->current()->id, heddle::MutexKindOf(mutex));
  Event* const event = scheduler->Record();
  if (error != 0) {
    event->flags |= Event::kFailed;
    return error;
  }
  real::pthread_mutex_unlock(mutex);
  scheduler->Reconsider(object);
  return 0;
}
