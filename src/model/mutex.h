// What a mutex is: pure, no threads, no clock. Recursive and error-checking behaviour as POSIX says.
#ifndef HEDDLE_MODEL_MUTEX_H_
#define HEDDLE_MODEL_MUTEX_H_

#include <cerrno>
#include <cstdint>

#include "base/ids.h"

namespace heddle {

enum class MutexKind : std::uint8_t { kNormal, kRecursive, kErrorCheck };

struct Mutex {
  ThreadId owner = kNoThread;
  std::uint32_t depth = 0;

  // A lock by `thread` would not block (it may still fail with an error).
  bool CanLock(ThreadId thread, MutexKind kind) const {
    return owner == kNoThread || (owner == thread && kind != MutexKind::kNormal);
  }

  // Only when CanLock; the error code of pthread_mutex_lock.
  int Lock(ThreadId thread, MutexKind kind) {
    if (owner == thread && kind == MutexKind::kErrorCheck) return EDEADLK;
    owner = thread;
    ++depth;
    return 0;
  }

  int TryLock(ThreadId thread, MutexKind kind) {
    if (owner != kNoThread && !(owner == thread && kind == MutexKind::kRecursive)) return EBUSY;
    owner = thread;
    ++depth;
    return 0;
  }

  // Unlocking a normal mutex that another thread holds is undefined; glibc lets it through, and so do we.
  int Unlock(ThreadId thread, MutexKind kind) {
    if (owner != thread && kind != MutexKind::kNormal) return EPERM;
    if (depth > 0 && --depth > 0) return 0;
    owner = kNoThread;
    return 0;
  }
};

}  // namespace heddle

#endif  // HEDDLE_MODEL_MUTEX_H_
