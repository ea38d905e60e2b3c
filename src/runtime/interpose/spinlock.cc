// pthread spin locks: mutexes whose waiters burn time. In the model they wait like everybody else.
#include <cerrno>

#include "runtime/engine.h"
#include "runtime/interpose/lifetime.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

Object* ObjectOf(pthread_spinlock_t* lock) {
  return Objects::At(const_cast<const int*>(lock), ObjectKind::kSpinlock);
}

// pthread_spin_destroy leaves it there: neither free nor locked.
constexpr int kDestroyed = 0xdead;

// When the operation is done: others may have come since it was announced.
void CheckLives(Scheduler* scheduler, const pthread_spinlock_t* lock, Object* object) {
  if (*lock == kDestroyed) ReportMisuse(scheduler, object, "use of a spin lock that was destroyed");
}

bool IsHeld(const Object& object) { return object.mutex.owner != kNoThread; }

Primitive Spinlock(pthread_spinlock_t* lock) {
  return {const_cast<int*>(lock), ObjectKind::kSpinlock, IsHeld};
}

}  // namespace
}  // namespace heddle

using heddle::MutexKind;
using heddle::Object;
using heddle::OpKind;
using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) {
    heddle::BeginLife(scheduler, heddle::Spinlock(lock), HEDDLE_CALLER);
  }
  return real::pthread_spin_init(lock, shared);
}

HEDDLE_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  const int result = real::pthread_spin_destroy(lock);
  if (scheduler != nullptr) {
    heddle::EndLife(scheduler, heddle::Spinlock(lock), HEDDLE_CALLER);
    *lock = heddle::kDestroyed;
  }
  return result;
}

HEDDLE_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_spin_lock(lock);
  Object* const object = heddle::ObjectOf(lock);
  scheduler->Reach({.kind = OpKind::kLock, .object = object, .site = HEDDLE_CALLER});
  heddle::CheckLives(scheduler, lock, object);
  object->mutex.Lock(scheduler->current()->id, MutexKind::kNormal);
  scheduler->Record();
  real::pthread_spin_trylock(lock);
  scheduler->Reconsider(object);
  return 0;
}

HEDDLE_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_spin_trylock(lock);
  Object* const object = heddle::ObjectOf(lock);
  scheduler->Reach({.kind = OpKind::kTryLock, .object = object, .site = HEDDLE_CALLER});
  heddle::CheckLives(scheduler, lock, object);
  const int error = object->mutex.TryLock(scheduler->current()->id, MutexKind::kNormal);
  if (error != 0) {
    scheduler->RecordFailed();
    return error;
  }
  scheduler->Record();
  real::pthread_spin_trylock(lock);
  scheduler->Reconsider(object);
  return 0;
}

HEDDLE_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_spin_unlock(lock);
  Object* const object = heddle::ObjectOf(lock);
  scheduler->Reach({.kind = OpKind::kUnlock, .object = object, .site = HEDDLE_CALLER});
  heddle::CheckLives(scheduler, lock, object);
  if (object->mutex.owner != scheduler->current()->id) {
    ReportMisuse(scheduler, object, "unlock of a spin lock that the thread does not hold");
  }
  object->mutex.Unlock(scheduler->current()->id, MutexKind::kNormal);
  scheduler->Record();
  real::pthread_spin_unlock(lock);
  scheduler->Reconsider(object);
  return 0;
}
