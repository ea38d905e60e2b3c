// pthread read-write locks: what std::shared_mutex and std::shared_timed_mutex stand on. They block
// in the model; the real lock is kept in step.
#include <cerrno>

#include "runtime/engine.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/lifetime.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

Object* ObjectOf(pthread_rwlock_t* lock) {
  Object* const object = Objects::At(lock, ObjectKind::kRwLock);
  if (object->rwlock == nullptr) object->rwlock = new RwLock();
  return object;
}

// pthread_rwlock_destroy leaves it in a place that nobody uses, and that every initialisation
// clears.
constexpr unsigned kDestroyed = 0xdead;

// When the operation is done: others may have come since it was announced.
void CheckLives(Scheduler* scheduler, const pthread_rwlock_t* lock, Object* object) {
  if (lock->__data.__pad3 != kDestroyed) return;
  ReportMisuse(scheduler, object, "use of a read-write lock that was destroyed");
}

bool PrefersWriters(const pthread_rwlock_t* lock) {
  return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

// It has changed nothing; or it has left the queue, or has met nobody but who waits in it: then it
// counts as what it would have been (RunOrder::StepInfo::keeps_its_access).
int Fail(Scheduler* scheduler, int error, bool as_usual) {
  const std::uint8_t flag = error == ETIMEDOUT ? Event::kTimedOut : Event::kFailed;
  if (as_usual) {
    scheduler->Record()->flags |= flag;
  } else {
    scheduler->RecordFailed(flag);
  }
  return error;
}

bool HasWriter(const Object& object) { return object.rwlock->writer != kNoThread; }

void Take(Scheduler* scheduler, pthread_rwlock_t* lock, Object* object, bool to_write) {
  const ThreadId self = scheduler->current()->id;
  if (to_write) {
    object->rwlock->Write(self);
    real::pthread_rwlock_trywrlock(lock);
  } else {
    object->rwlock->Read(self);
    real::pthread_rwlock_tryrdlock(lock);
  }
  scheduler->Record();
  scheduler->Reconsider(object);
}

int Read(Scheduler* scheduler, pthread_rwlock_t* lock, const Deadline& deadline,
         std::uint64_t site) {
  Object* const object = ObjectOf(lock);
  const Outcome outcome = scheduler->Reach({.kind = OpKind::kReadLock,
                                            .object = object,
                                            .second = ClockFor(scheduler, deadline),
                                            .site = site,
                                            .timed = deadline.is_set,
                                            .deadline = deadline.at});
  CheckLives(scheduler, lock, object);
  if (outcome == Outcome::kTimeout) return Fail(scheduler, ETIMEDOUT, !HasWriter(*object));
  if (object->rwlock->writer == scheduler->current()->id) return Fail(scheduler, EDEADLK, false);
  Take(scheduler, lock, object, /*to_write=*/false);
  return 0;
}

int Write(Scheduler* scheduler, pthread_rwlock_t* lock, const Deadline& deadline,
          std::uint64_t site) {
  Object* const object = ObjectOf(lock);
  const ThreadId self = scheduler->current()->id;
  const bool queues = PrefersWriters(lock);
  if (queues) {
    scheduler->Reach({.kind = OpKind::kQueueWriter, .object = object, .site = site});
    CheckLives(scheduler, lock, object);
    if (object->rwlock->writer == self) return Fail(scheduler, EDEADLK, true);
    if (object->rwlock->CanWrite()) {
      Take(scheduler, lock, object, /*to_write=*/true);
      return 0;
    }
    ++object->rwlock->queued_writers;
    scheduler->Record()->flags |= Event::kFailed;
    scheduler->Reconsider(object);
  }
  const Outcome outcome = scheduler->Reach({.kind = OpKind::kWriteLock,
                                            .object = object,
                                            .second = ClockFor(scheduler, deadline),
                                            .site = site,
                                            .timed = deadline.is_set,
                                            .deadline = deadline.at});
  CheckLives(scheduler, lock, object);
  if (queues) --object->rwlock->queued_writers;
  if (outcome == Outcome::kTimeout) {
    scheduler->Reconsider(object);
    return Fail(scheduler, ETIMEDOUT, queues);
  }
  if (object->rwlock->writer == self) return Fail(scheduler, EDEADLK, queues);
  Take(scheduler, lock, object, /*to_write=*/true);
  return 0;
}

int Try(Scheduler* scheduler, pthread_rwlock_t* lock, bool to_write, std::uint64_t site) {
  Object* const object = ObjectOf(lock);
  scheduler->Reach({.kind = to_write ? OpKind::kTryWriteLock : OpKind::kTryReadLock,
                    .object = object,
                    .site = site});
  CheckLives(scheduler, lock, object);
  const bool can = to_write ? object->rwlock->CanWrite() : object->rwlock->CanRead();
  if (!can) return Fail(scheduler, EBUSY, !to_write && !HasWriter(*object));
  Take(scheduler, lock, object, to_write);
  return 0;
}

int Unlock(Scheduler* scheduler, pthread_rwlock_t* lock, std::uint64_t site) {
  Object* const object = ObjectOf(lock);
  const ThreadId self = scheduler->current()->id;
  scheduler->Reach(
      {.kind = object->rwlock->writer == self ? OpKind::kWriteUnlock : OpKind::kReadUnlock,
       .object = object,
       .site = site});
  CheckLives(scheduler, lock, object);
  if (!object->rwlock->Unlock(self)) {
    ReportMisuse(scheduler, object, "unlock of a read-write lock that the thread does not hold");
  }
  scheduler->Record();
  real::pthread_rwlock_unlock(lock);
  scheduler->Reconsider(object);
  return 0;
}

bool IsInUse(const Object& object) { return object.rwlock != nullptr && !object.rwlock->IsFree(); }

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock,
                                      const pthread_rwlockattr_t* attributes) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) {
    heddle::BeginLife(scheduler, {lock, heddle::ObjectKind::kRwLock, heddle::IsInUse},
                      HEDDLE_CALLER);
  }
  return real::pthread_rwlock_init(lock, attributes);
}

HEDDLE_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) {
    heddle::EndLife(scheduler, {lock, heddle::ObjectKind::kRwLock, heddle::IsInUse}, HEDDLE_CALLER);
    lock->__data.__pad3 = heddle::kDestroyed;
  }
  return real::pthread_rwlock_destroy(lock);
}

HEDDLE_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_rwlock_rdlock(lock);
  return heddle::Read(scheduler, lock, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_rwlock_wrlock(lock);
  return heddle::Write(scheduler, lock, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_rwlock_tryrdlock(lock);
  return heddle::Try(scheduler, lock, /*to_write=*/false, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_rwlock_trywrlock(lock);
  return heddle::Try(scheduler, lock, /*to_write=*/true, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_rwlock_timedrdlock(lock, time);
  if (!heddle::IsValid(time)) return EINVAL;
  const heddle::Deadline deadline = heddle::DeadlineAt(scheduler, CLOCK_REALTIME, time);
  return heddle::Read(scheduler, lock, deadline, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_rwlock_timedwrlock(lock, time);
  if (!heddle::IsValid(time)) return EINVAL;
  const heddle::Deadline deadline = heddle::DeadlineAt(scheduler, CLOCK_REALTIME, time);
  return heddle::Write(scheduler, lock, deadline, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_rwlock_clockrdlock(lock, clock, time);
  if (!heddle::IsWaitable(clock) || !heddle::IsValid(time)) return EINVAL;
  return heddle::Read(scheduler, lock, heddle::DeadlineAt(scheduler, clock, time), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_rwlock_clockwrlock(lock, clock, time);
  if (!heddle::IsWaitable(clock) || !heddle::IsValid(time)) return EINVAL;
  return heddle::Write(scheduler, lock, heddle::DeadlineAt(scheduler, clock, time), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_rwlock_unlock(lock);
  return heddle::Unlock(scheduler, lock, HEDDLE_CALLER);
}
