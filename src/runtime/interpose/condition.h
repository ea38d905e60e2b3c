// Condition variables for C11 threads.
#ifndef HEDDLE_RUNTIME_INTERPOSE_CONDITION_H_
#define HEDDLE_RUNTIME_INTERPOSE_CONDITION_H_

#include <pthread.h>

#include "runtime/interpose/deadline.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {

// The error codes of pthread_cond_*.
int WaitForCondition(Scheduler* scheduler, pthread_cond_t* condition, pthread_mutex_t* mutex,
                     const Deadline& deadline, std::uint64_t site);
void SignalCondition(Scheduler* scheduler, pthread_cond_t* condition, bool all, std::uint64_t site);
void EndConditionLife(Scheduler* scheduler, pthread_cond_t* condition, std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_CONDITION_H_
