// Thread-specific data (pthread_key_create …).
#ifndef HEDDLE_RUNTIME_INTERPOSE_KEYS_H_
#define HEDDLE_RUNTIME_INTERPOSE_KEYS_H_

#include "runtime/scheduler/thread.h"

namespace heddle {

// At the end of `thread`, on it: up to PTHREAD_DESTRUCTOR_ITERATIONS rounds.
void RunKeyDestructors(Thread* thread);

// Between runs in one process: keys made up to the last KeepKeys stay, later ones are gone.
void KeepKeys();
void ResetKeysForRun();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_KEYS_H_
