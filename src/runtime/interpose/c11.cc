// C11 threads. In glibc they are the pthread primitives under other names, but call them from
// inside, where nobody can interpose.
#include <threads.h>

#include <cerrno>
#include <cstdint>

#include "runtime/engine.h"
#include "runtime/interpose/condition.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/mutex.h"
#include "runtime/interpose/once.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/thread.h"
#include "runtime/scheduler/thread_body.h"

namespace heddle {
namespace {

int ResultOf(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* Pthread(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* Pthread(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

// --- threads

// An int in the register of a pointer, as glibc does it.
HEDDLE_EXPORT int thrd_create(thrd_t* handle, thrd_start_t routine, void* argument) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::thrd_create(handle, routine, argument);
  return heddle::ResultOf(heddle::CreateThread(
      scheduler, handle, nullptr,
      reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(routine)), argument,
      HEDDLE_CALLER));
}

HEDDLE_EXPORT int thrd_join(thrd_t handle, int* result) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::thrd_join(handle, result);
  void* value = nullptr;
  const int error = heddle::JoinThread(scheduler, handle, &value, {}, HEDDLE_CALLER);
  if (error == 0 && result != nullptr) {
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  }
  return heddle::ResultOf(error);
}

HEDDLE_EXPORT int thrd_detach(thrd_t handle) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::thrd_detach(handle);
  return heddle::ResultOf(heddle::DetachThread(scheduler, handle, HEDDLE_CALLER));
}

HEDDLE_EXPORT void thrd_exit(int result) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) real::thrd_exit(result);
  heddle::UnwindAndEnd(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
}

// --- mutexes

HEDDLE_EXPORT int mtx_init(mtx_t* mutex, int type) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) {
    heddle::BeginMutexLife(scheduler, heddle::Pthread(mutex), HEDDLE_CALLER);
  }
  return real::mtx_init(mutex, type);
}

HEDDLE_EXPORT void mtx_destroy(mtx_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) heddle::EndMutexLife(scheduler, heddle::Pthread(mutex), HEDDLE_CALLER);
  real::mtx_destroy(mutex);
}

HEDDLE_EXPORT int mtx_lock(mtx_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::mtx_lock(mutex);
  return heddle::ResultOf(heddle::LockMutex(scheduler, heddle::Pthread(mutex), {}, HEDDLE_CALLER));
}

HEDDLE_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::mtx_timedlock(mutex, time);
  if (!heddle::IsValid(time)) {
    const int error = heddle::TryLockMutex(scheduler, heddle::Pthread(mutex), HEDDLE_CALLER);
    return error == EBUSY ? thrd_error : heddle::ResultOf(error);
  }
  const heddle::Deadline deadline = heddle::DeadlineAt(scheduler, CLOCK_REALTIME, time);
  return heddle::ResultOf(
      heddle::LockMutex(scheduler, heddle::Pthread(mutex), deadline, HEDDLE_CALLER));
}

HEDDLE_EXPORT int mtx_trylock(mtx_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::mtx_trylock(mutex);
  return heddle::ResultOf(heddle::TryLockMutex(scheduler, heddle::Pthread(mutex), HEDDLE_CALLER));
}

HEDDLE_EXPORT int mtx_unlock(mtx_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::mtx_unlock(mutex);
  return heddle::ResultOf(heddle::UnlockMutex(scheduler, heddle::Pthread(mutex), HEDDLE_CALLER));
}

// --- condition variables

HEDDLE_EXPORT int cnd_init(cnd_t* condition) {
  return heddle::ResultOf(pthread_cond_init(heddle::Pthread(condition), nullptr));
}

HEDDLE_EXPORT void cnd_destroy(cnd_t* condition) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::cnd_destroy(condition);
  heddle::EndConditionLife(scheduler, heddle::Pthread(condition), HEDDLE_CALLER);
}

HEDDLE_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::cnd_wait(condition, mutex);
  return heddle::ResultOf(heddle::WaitForCondition(scheduler, heddle::Pthread(condition),
                                                   heddle::Pthread(mutex), {}, HEDDLE_CALLER));
}

HEDDLE_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::cnd_timedwait(condition, mutex, time);
  if (!heddle::IsValid(time)) return thrd_error;
  const heddle::Deadline deadline = heddle::DeadlineAt(scheduler, CLOCK_REALTIME, time);
  return heddle::ResultOf(heddle::WaitForCondition(
      scheduler, heddle::Pthread(condition), heddle::Pthread(mutex), deadline, HEDDLE_CALLER));
}

HEDDLE_EXPORT int cnd_signal(cnd_t* condition) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::cnd_signal(condition);
  heddle::SignalCondition(scheduler, heddle::Pthread(condition), /*all=*/false, HEDDLE_CALLER);
  return thrd_success;
}

HEDDLE_EXPORT int cnd_broadcast(cnd_t* condition) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::cnd_broadcast(condition);
  heddle::SignalCondition(scheduler, heddle::Pthread(condition), /*all=*/true, HEDDLE_CALLER);
  return thrd_success;
}

// --- once, thread-specific storage

HEDDLE_EXPORT void call_once(once_flag* flag, void (*function)()) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::call_once(flag, function);
  heddle::RunOnce(scheduler, reinterpret_cast<pthread_once_t*>(flag), function, HEDDLE_CALLER);
}

HEDDLE_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  return heddle::ResultOf(pthread_key_create(key, destructor));
}
HEDDLE_EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }
HEDDLE_EXPORT void* tss_get(tss_t key) { return pthread_getspecific(key); }
HEDDLE_EXPORT int tss_set(tss_t key, void* value) {
  return heddle::ResultOf(pthread_setspecific(key, value));
}
