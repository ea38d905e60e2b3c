// What condition variables need of mutexes.
#ifndef HEDDLE_RUNTIME_INTERPOSE_MUTEX_H_
#define HEDDLE_RUNTIME_INTERPOSE_MUTEX_H_

#include <pthread.h>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

Object* MutexObject(pthread_mutex_t* mutex);
MutexKind MutexKindOf(const pthread_mutex_t* mutex);
// The model gave the mutex to the running thread: the real one must follow.
void TakeRealMutex(Scheduler* scheduler, pthread_mutex_t* mutex, std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_MUTEX_H_
