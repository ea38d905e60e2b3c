// Named semaphores (sem_open …).
#ifndef HEDDLE_RUNTIME_INTERPOSE_NAMED_SEMAPHORE_H_
#define HEDDLE_RUNTIME_INTERPOSE_NAMED_SEMAPHORE_H_

namespace heddle {

// Between two runs in one process: nobody has opened any.
void ResetNamedSemaphoresForRun();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_NAMED_SEMAPHORE_H_
