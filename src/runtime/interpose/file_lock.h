// Locks of files: flock, lockf, fcntl with F_SETLK, F_SETLKW and their OFD forms.
//
// The system keeps them, because it alone knows which descriptors are of one description and what
// other processes hold. It is asked who could have a lock: F_GETLK says it; of flock it is tried on
// a description of its own, and given back.
//
// Descriptions lose what they hold when the last descriptor is closed, so closing a descriptor of a
// file on which locks are used is an operation on them.
#ifndef HEDDLE_RUNTIME_INTERPOSE_FILE_LOCK_H_
#define HEDDLE_RUNTIME_INTERPOSE_FILE_LOCK_H_

#include <cstdint>

#include "runtime/interpose/system_wait.h"

namespace heddle {

// Whether locks of that descriptor's file were used in this run.
bool UsesFileLocks(int descriptor);
// How such a descriptor is closed, by whatever call.
SystemWait ClosesLocked(int descriptor, std::uint64_t site);
void ForgetFileLocks();  // between runs

// Whether the command of fcntl is about locks; then `lock` is its argument.
bool IsLockCommand(int command);
int ControlLock(Scheduler* scheduler, int descriptor, int command, void* lock, std::uint64_t site);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_FILE_LOCK_H_
