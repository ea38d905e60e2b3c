// pthread threads: create, join, detach, exit, names.
#include <sys/single_threaded.h>

#include <cerrno>
#include <cstring>

#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/thread_at_exit.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/thread_body.h"
#include "runtime/worker/process.h"
#include "runtime/worker/server.h"

using heddle::Scheduler;
using heddle::Thread;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                                 void* (*routine)(void*), void* argument) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_create(handle, attributes, routine, argument);
  heddle::ServeBeforeFirstThread();
  int detach_state = PTHREAD_CREATE_JOINABLE;
  std::size_t stack_size = 0;
  if (attributes != nullptr) {
    pthread_attr_getdetachstate(attributes, &detach_state);
    pthread_attr_getstacksize(attributes, &stack_size);
  }
  Thread* const child = scheduler->Create(routine, argument, stack_size,
                                          detach_state == PTHREAD_CREATE_DETACHED, HEDDLE_CALLER);
  if (child == nullptr) return EAGAIN;
  __libc_single_threaded = 0;
  *handle = child->shell->handle;
  return 0;
}

HEDDLE_EXPORT int pthread_join(pthread_t handle, void** result) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_join(handle, result);
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr || target->joined) return ESRCH;
  if (target->detached) return EINVAL;
  if (target == scheduler->current()) return EDEADLK;
  scheduler->Join(target, HEDDLE_CALLER);
  if (result != nullptr) *result = target->result;
  return 0;
}

HEDDLE_EXPORT int pthread_tryjoin_np(pthread_t handle, void** result) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_tryjoin_np(handle, result);
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr || target->joined) return ESRCH;
  // Whether it has ended by now is up to the schedule.
  scheduler->Reach(
      {.kind = heddle::OpKind::kYield, .object = target->object, .site = HEDDLE_CALLER});
  scheduler->Record();
  if (!target->ended) return EBUSY;
  return pthread_join(handle, result);
}

HEDDLE_EXPORT int pthread_detach(pthread_t handle) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_detach(handle);
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr || target->joined) return ESRCH;
  if (target->detached) return EINVAL;
  scheduler->RecordDirectly(heddle::OpKind::kDetach, target->object, HEDDLE_CALLER)->other =
      target->id;
  target->detached = true;
  if (target->ended) heddle::Shells::Release(target->shell);
  return 0;
}

HEDDLE_EXPORT void pthread_exit(void* result) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    real::pthread_exit(result);
  }
  heddle::UnwindAndEnd(result);
}

HEDDLE_EXPORT int pthread_setname_np(pthread_t handle, const char* name) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_setname_np(handle, name);
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr) return ESRCH;
  if (std::strlen(name) >= sizeof target->name) return ERANGE;
  std::strcpy(target->name, name);
  scheduler->recorder().SetName(*target);
  return 0;
}

HEDDLE_EXPORT int pthread_getname_np(pthread_t handle, char* buffer, std::size_t size) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_getname_np(handle, buffer, size);
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr || target->name[0] == '\0') {
    return real::pthread_getname_np(pthread_self(), buffer, size);
  }
  if (size < std::strlen(target->name) + 1) return ERANGE;
  std::strcpy(buffer, target->name);
  return 0;
}

// libstdc++ registers every thread_local destructor here.
HEDDLE_EXPORT int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return heddle::RealThreadAtExit(destructor, object, module);
  scheduler->current()->destructors.push_back({destructor, object});
  return 0;
}
