// What a mutex is: pure, no threads, no clock. Recursive, error-checking and robust behaviour as
// POSIX says.
#ifndef HEDDLE_MODEL_MUTEX_H_
#define HEDDLE_MODEL_MUTEX_H_

#include <cerrno>
#include <cstdint>

#include "base/ids.h"

namespace heddle {

enum class MutexKind : std::uint8_t { kNormal, kRecursive, kErrorCheck };

// Of what a robust mutex protects.
enum class MutexHealth : std::uint8_t {
  kFine,
  kOwnerDied,      // nobody has it; the next to lock it is told
  kInconsistent,   // whoever was told has it
  kUnrecoverable,  // it was unlocked as it was: nobody gets it any more
};

struct Mutex {
  ThreadId owner = kNoThread;
  MutexHealth health = MutexHealth::kFine;
  std::uint32_t depth = 0;

  // A lock by `thread` would not block (it may still fail with an error).
  bool CanLock(ThreadId thread, MutexKind kind) const {
    return owner == kNoThread || (owner == thread && kind != MutexKind::kNormal);
  }

  // Only when CanLock; the error code of pthread_mutex_lock. EOWNERDEAD: it was taken.
  int Lock(ThreadId thread, MutexKind kind) {
    if (owner == thread && kind == MutexKind::kErrorCheck) return EDEADLK;
    if (health == MutexHealth::kUnrecoverable) return ENOTRECOVERABLE;
    owner = thread;
    ++depth;
    if (health != MutexHealth::kOwnerDied) return 0;
    health = MutexHealth::kInconsistent;
    return EOWNERDEAD;
  }

  // `names_owner`: whoever has an error-checking mutex is told so, as by a lock.
  int TryLock(ThreadId thread, MutexKind kind, bool names_owner = false) {
    const bool comes_again = owner == thread && (kind == MutexKind::kRecursive ||
                                                 (kind == MutexKind::kErrorCheck && names_owner));
    if (owner != kNoThread && !comes_again) return EBUSY;
    return Lock(thread, kind);
  }

  // Unlocking a normal mutex that another thread holds is undefined: the caller must look first.
  int Unlock(ThreadId thread, MutexKind kind) {
    if (owner != thread && kind != MutexKind::kNormal) return EPERM;
    if (depth > 0 && --depth > 0) {
      // As glibc says it: one that was not mended is not held like another.
      return health == MutexHealth::kInconsistent ? ENOTRECOVERABLE : 0;
    }
    owner = kNoThread;
    if (health == MutexHealth::kInconsistent) health = MutexHealth::kUnrecoverable;
    return 0;
  }

  // A robust mutex whose owner ended.
  void OwnerDied() {
    owner = kNoThread;
    depth = 0;
    health = MutexHealth::kOwnerDied;
  }

  // pthread_mutex_consistent.
  int MakeConsistent(ThreadId thread) {
    if (owner != thread || health != MutexHealth::kInconsistent) return EINVAL;
    health = MutexHealth::kFine;
    return 0;
  }
};

}  // namespace heddle

#endif  // HEDDLE_MODEL_MUTEX_H_
