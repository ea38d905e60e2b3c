// Threads for C11's thrd_*.
#ifndef HEDDLE_RUNTIME_INTERPOSE_THREAD_H_
#define HEDDLE_RUNTIME_INTERPOSE_THREAD_H_

#include <pthread.h>

#include "runtime/interpose/deadline.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {

// The error codes of pthread_create, pthread_join and pthread_detach.
int CreateThread(Scheduler* scheduler, pthread_t* handle, const pthread_attr_t* attributes,
                 void* (*routine)(void*), void* argument, std::uint64_t site);
int JoinThread(Scheduler* scheduler, pthread_t handle, void** result, Deadline deadline,
               std::uint64_t site);
int DetachThread(Scheduler* scheduler, pthread_t handle, std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_THREAD_H_
