// Which operations take locks and give them back.
#ifndef HEDDLE_TRACE_HELD_LOCKS_H_
#define HEDDLE_TRACE_HELD_LOCKS_H_

#include "trace/op.h"

namespace heddle {

constexpr bool IsOfLock(OpKind kind) {
  switch (kind) {
    case OpKind::kLock:
    case OpKind::kTryLock:
    case OpKind::kUnlock:
    case OpKind::kReadLock:
    case OpKind::kTryReadLock:
    case OpKind::kReadUnlock:
    case OpKind::kWriteLock:
    case OpKind::kTryWriteLock:
    case OpKind::kQueueWriter:
    case OpKind::kWriteUnlock:
      return true;
    default:
      return false;
  }
}

// By how many locks more its thread holds one, if it succeeds.
constexpr int ChangeOfHeld(OpKind kind) {
  switch (kind) {
    case OpKind::kLock:
    case OpKind::kTryLock:
    case OpKind::kReadLock:
    case OpKind::kTryReadLock:
    case OpKind::kWriteLock:
    case OpKind::kTryWriteLock:
      return 1;
    case OpKind::kUnlock:
    case OpKind::kWait:  // gives up the mutex; takes it again with a lock
    case OpKind::kReadUnlock:
    case OpKind::kWriteUnlock:
      return -1;
    default:
      return 0;
  }
}

// Whether one who comes with `taking` waits for one who came with `held` to give the lock back.
constexpr bool WaitsFor(OpKind taking, OpKind held) {
  const bool waits =
      taking == OpKind::kLock || taking == OpKind::kReadLock || taking == OpKind::kWriteLock;
  const bool shared = held == OpKind::kReadLock || held == OpKind::kTryReadLock;
  return waits && !(shared && taking == OpKind::kReadLock);
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_HELD_LOCKS_H_
