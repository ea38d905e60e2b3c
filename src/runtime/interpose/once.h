// pthread_once for C11's call_once.
#ifndef HEDDLE_RUNTIME_INTERPOSE_ONCE_H_
#define HEDDLE_RUNTIME_INTERPOSE_ONCE_H_

#include <pthread.h>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

void RunOnce(Scheduler* scheduler, pthread_once_t* control, void (*routine)(), std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_ONCE_H_
