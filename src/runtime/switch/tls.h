// Thread-locals of a shell that is used again: as if its thread were new.
#ifndef HEDDLE_RUNTIME_SWITCH_TLS_H_
#define HEDDLE_RUNTIME_SWITCH_TLS_H_

#include <cstdint>

namespace heddle {

// On the thread itself, whose thread pointer that is: every module's thread-locals get their
// initial image back, libc's own excepted (its errno included: 0). No system call unless modules
// with thread-locals were loaded late.
void ResetThreadLocals(std::uint64_t thread_pointer);

// A module was loaded or unloaded.
void ModulesChanged();

// The calling thread's thread-locals as they are now; a later Restore on the same thread brings
// them back. For the main thread of a body that is run again and again.
void SaveThreadLocals();
void RestoreThreadLocals();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SWITCH_TLS_H_
