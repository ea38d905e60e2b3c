// pthread mutexes. They block in the model, never in the kernel; the real mutex is kept in step, so
// that its owner stays right. Robust ones live in the model alone: the kernel would find their
// owner dead only when a kernel thread ends, and those do not end with the program's threads.
#include "runtime/interpose/mutex.h"

#include <algorithm>
#include <cerrno>

#include "runtime/engine.h"
#include "runtime/interpose/lifetime.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/reaching.h"
#include "runtime/worker/process.h"

namespace heddle {
namespace {

constexpr int kDestroyed = -1;  // what pthread_mutex_destroy leaves in the kind
constexpr int kRobustBit = 16;
constexpr int kInheritsPriorityBit = 32;

void TakeReal(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site) {
  if (MutexTypeOf(mutex).is_robust) return;
  if (real::pthread_mutex_trylock(mutex) == 0) return;
  if (engine.makes_more_runs) {
    engine.channel->search_report.leaks_state = kLeftLocked;
    return;
  }
  scheduler->Uncontrolled(
      "a mutex changed behind heddle's back",
      "somebody writes over it or locks it unseen; lock order is not to be trusted", site);
}

void GiveBackReal(pthread_mutex_t* mutex) {
  if (!MutexTypeOf(mutex).is_robust) real::pthread_mutex_unlock(mutex);
}

// The model gave it to the running thread, or refused with an error; the announced operation is
// done.
int Taken(Scheduler* scheduler, pthread_mutex_t* mutex, Object* object, int error,
          std::uint64_t site) {
  if (error != 0 && error != EOWNERDEAD) {
    scheduler->RecordFailed();
    return error;
  }
  scheduler->Record();
  if (MutexTypeOf(mutex).is_robust && object->mutex.depth == 1) {
    scheduler->current()->AtEnd().robust_mutexes.push_back(object);
  }
  TakeReal(scheduler, mutex, site);
  scheduler->Reconsider(object);
  return error;
}

void ForgetRobust(Scheduler* scheduler, Object* object) {
  const Thread* const self = scheduler->current();
  if (self->at_end != nullptr) std::erase(self->at_end->robust_mutexes, object);
}

bool IsHeld(const Object& object) { return object.mutex.owner != kNoThread; }

// When an operation is announced, and again when it is done: others may have come between.
void CheckLives(Scheduler* scheduler, const pthread_mutex_t* mutex, Object* object) {
  if (mutex->__data.__kind != kDestroyed) return;
  ReportMisuse(scheduler, object, "use of a mutex that was destroyed");
}

}  // namespace

MutexType MutexTypeOf(const pthread_mutex_t* mutex) {
  MutexType type;
  type.is_robust = (mutex->__data.__kind & kRobustBit) != 0;
  type.inherits_priority = (mutex->__data.__kind & kInheritsPriorityBit) != 0;
  switch (mutex->__data.__kind & 3) {
    case PTHREAD_MUTEX_RECURSIVE_NP:
      type.kind = MutexKind::kRecursive;
      break;
    case PTHREAD_MUTEX_ERRORCHECK_NP:
      type.kind = MutexKind::kErrorCheck;
      break;
    default:
      break;
  }
  return type;
}

Object* MutexObject(Scheduler* scheduler, pthread_mutex_t* mutex) {
  Object* const object = Objects::At(mutex, ObjectKind::kMutex);
  CheckLives(scheduler, mutex, object);
  return object;
}

int LockMutex(Scheduler* scheduler, pthread_mutex_t* mutex, Deadline deadline, std::uint64_t site) {
  Object* const object = MutexObject(scheduler, mutex);
  const MutexKind kind = MutexTypeOf(mutex).kind;
  const Outcome outcome = scheduler->ReachOrWaitHere({.kind = OpKind::kLock,
                                                      .object = object,
                                                      .second = ClockFor(scheduler, deadline),
                                                      .site = site,
                                                      .timed = deadline.is_set,
                                                      .deadline = deadline.at,
                                                      .mutex_kind = kind});
  if (outcome == Outcome::kTimeout) {
    scheduler->RecordFailed(Event::kTimedOut);
    return ETIMEDOUT;
  }
  CheckLives(scheduler, mutex, object);
  const int error = object->mutex.Lock(scheduler->current()->id, kind);
  return Taken(scheduler, mutex, object, error, site);
}

int TryLockMutex(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site) {
  Object* const object = MutexObject(scheduler, mutex);
  scheduler->Reach({.kind = OpKind::kTryLock, .object = object, .site = site});
  CheckLives(scheduler, mutex, object);
  const MutexType type = MutexTypeOf(mutex);
  const int error =
      object->mutex.TryLock(scheduler->current()->id, type.kind, type.try_names_owner());
  return Taken(scheduler, mutex, object, error, site);
}

int UnlockMutex(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site) {
  Object* const object = MutexObject(scheduler, mutex);
  const ThreadId self = scheduler->current()->id;
  scheduler->Reach({.kind = OpKind::kUnlock, .object = object, .site = site});
  CheckLives(scheduler, mutex, object);
  if (object->mutex.owner != self) {
    if (!MutexTypeOf(mutex).checks_owner()) {
      ReportMisuse(scheduler, object,
                   object->mutex.owner == kNoThread
                       ? "unlock of a mutex that is not locked"
                       : "unlock of a mutex that another thread holds");
    }
    scheduler->Record()->flags |= Event::kFailed;
    return EPERM;
  }
  const int error = object->mutex.Unlock(self, MutexTypeOf(mutex).kind);
  scheduler->Record();
  if (object->mutex.owner == kNoThread) ForgetRobust(scheduler, object);
  GiveBackReal(mutex);
  scheduler->Reconsider(object);
  return error;
}

std::uint32_t ReleaseForWait(Scheduler* scheduler, pthread_mutex_t* mutex, Object* object) {
  const std::uint32_t depth = object->mutex.depth;
  object->mutex.depth = 1;  // a recursive mutex is given up as a whole
  object->mutex.Unlock(scheduler->current()->id, MutexTypeOf(mutex).kind);
  ForgetRobust(scheduler, object);
  for (std::uint32_t i = 0; i < depth; ++i) GiveBackReal(mutex);
  scheduler->Reconsider(object);
  return depth;
}

int RetakeAfterWait(Scheduler* scheduler, pthread_mutex_t* mutex, Object* object,
                    std::uint32_t depth, std::uint64_t site) {
  const int error = object->mutex.Lock(scheduler->current()->id, MutexTypeOf(mutex).kind);
  Taken(scheduler, mutex, object, error, site);
  if (error != 0 && error != EOWNERDEAD) return error;
  object->mutex.depth = depth;
  for (std::uint32_t i = 1; i < depth; ++i) TakeReal(scheduler, mutex, site);
  return error;
}

void AbandonRobustMutexes(Scheduler* scheduler) {
  auto& robust = scheduler->current()->AtEnd().robust_mutexes;
  while (!robust.empty()) {
    Object* const object = robust.back();
    scheduler->Reach({.kind = OpKind::kOwnerDied, .object = object});
    robust.pop_back();
    object->mutex.OwnerDied();
    scheduler->Record();
    scheduler->Reconsider(object);
  }
}

void BeginMutexLife(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site) {
  BeginLife(scheduler, {mutex, ObjectKind::kMutex, IsHeld}, site);
}

void EndMutexLife(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site) {
  EndLife(scheduler, {mutex, ObjectKind::kMutex, IsHeld}, site);
}

}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex,
                                     const pthread_mutexattr_t* attributes) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) heddle::BeginMutexLife(scheduler, mutex, HEDDLE_CALLER);
  return real::pthread_mutex_init(mutex, attributes);
}

HEDDLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) heddle::EndMutexLife(scheduler, mutex, HEDDLE_CALLER);
  return real::pthread_mutex_destroy(mutex);
}

HEDDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    if (!heddle::RunIsOver()) return real::pthread_mutex_lock(mutex);
    const int result = real::pthread_mutex_trylock(mutex);
    if (result == EBUSY) heddle::EndIfRunIsOver();
    return result;
  }
  return heddle::LockMutex(scheduler, mutex, {}, HEDDLE_CALLER);
}

// glibc looks at the time only when it has to wait.
HEDDLE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_timedlock(mutex, time);
  if (!heddle::IsValid(time)) {
    const int error = heddle::TryLockMutex(scheduler, mutex, HEDDLE_CALLER);
    return error == EBUSY ? EINVAL : error;
  }
  return heddle::LockMutex(scheduler, mutex, heddle::DeadlineAt(scheduler, CLOCK_REALTIME, time),
                           HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_clocklock(mutex, clock, time);
  if (!heddle::IsWaitable(clock)) return EINVAL;
  if (!heddle::IsValid(time)) {
    const int error = heddle::TryLockMutex(scheduler, mutex, HEDDLE_CALLER);
    return error == EBUSY ? EINVAL : error;
  }
  return heddle::LockMutex(scheduler, mutex, heddle::DeadlineAt(scheduler, clock, time),
                           HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_trylock(mutex);
  return heddle::TryLockMutex(scheduler, mutex, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_unlock(mutex);
  return heddle::UnlockMutex(scheduler, mutex, HEDDLE_CALLER);
}

// Only the owner may call it, so nobody else can tell when: no operation.
HEDDLE_EXPORT int pthread_mutex_consistent(pthread_mutex_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_mutex_consistent(mutex);
  if (!heddle::MutexTypeOf(mutex).is_robust) return EINVAL;
  return heddle::MutexObject(scheduler, mutex)->mutex.MakeConsistent(scheduler->current()->id);
}
