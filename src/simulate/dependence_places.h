// Which test looks at the dependence of a kind of operation on others.
#ifndef HEDDLE_SIMULATE_DEPENDENCE_PLACES_H_
#define HEDDLE_SIMULATE_DEPENDENCE_PLACES_H_

#include <cstdint>

#include "trace/op.h"

namespace heddle {

#pragma GCC diagnostic error "-Wswitch"

// Where a kind is looked at. No default: one that is new does not compile until it has a place.
enum class Place : std::uint8_t { kHere, kSyncMachine, kNoOrder, kAll };

inline Place PlaceOf(OpKind kind) {
  switch (kind) {
    case OpKind::kRead:
    case OpKind::kWrite:
    case OpKind::kAtomicLoad:
    case OpKind::kAtomicStore:
    case OpKind::kAtomicRmw:
    case OpKind::kFutexWait:
    case OpKind::kFutexWake:
    case OpKind::kReadLock:
    case OpKind::kTryReadLock:
    case OpKind::kReadUnlock:
    case OpKind::kQueueWriter:
    case OpKind::kWriteLock:
    case OpKind::kTryWriteLock:
    case OpKind::kWriteUnlock:
    case OpKind::kBarrierArrive:
    case OpKind::kOnce:
    case OpKind::kOnceDone:
    case OpKind::kTryJoin:
    case OpKind::kTimedJoin:
    case OpKind::kExit:
    case OpKind::kSend:
    case OpKind::kReceive:
    case OpKind::kLook:
    case OpKind::kSleep:
    case OpKind::kTime:
    case OpKind::kEnd:
    case OpKind::kLock:
    case OpKind::kTryLock:
    case OpKind::kUnlock:
    case OpKind::kWait:
    case OpKind::kSignal:
    case OpKind::kBroadcast:
    case OpKind::kSemWait:
    case OpKind::kSemTryWait:
    case OpKind::kSemPost:
    case OpKind::kSemValue:
    case OpKind::kWake:
      return Place::kHere;
    // Objects of <heddle/sync.h>: sync_machine_test.cc runs every search on them against the brute
    // force of src/reach.
    case OpKind::kP:
    case OpKind::kV:
    case OpKind::kAcquire:
    case OpKind::kRelease:
    case OpKind::kEnter:
    case OpKind::kLeave:
    case OpKind::kQueue:
    case OpKind::kNotify:
    case OpKind::kResume:
    case OpKind::kPortSend:
    case OpKind::kPortPut:
    case OpKind::kPortSent:
    case OpKind::kPortReceive:
    case OpKind::kPortOpen:
      return Place::kSyncMachine;
    // They run as soon as they can: nobody ever decides about their order.
    case OpKind::kNone:
    case OpKind::kYield:  // has no object
    case OpKind::kFence:
    case OpKind::kCreate:
    case OpKind::kStart:
    case OpKind::kJoin:
    case OpKind::kDetach:
    case OpKind::kClock:
    case OpKind::kBarrierLeave:
    case OpKind::kCancelled:
    case OpKind::kHandler:
      return Place::kNoOrder;
    // They depend on everything that is done to their object, which is what they are for: beginning
    // and end of a primitive, of the process; what is sent to a thread; all descriptors are one
    // object, because nobody knows who is at the other end, and so is what else the system keeps.
    case OpKind::kProcessExit:
    case OpKind::kAnnotation:
    case OpKind::kInit:
    case OpKind::kDestroy:
    case OpKind::kOwnerDied:
    case OpKind::kCancel:
    case OpKind::kKill:
    case OpKind::kSigWait:
    case OpKind::kPoll:
    case OpKind::kEpollWait:  // takes from its set; the channels that it looks at are a list
    case OpKind::kDescriptor:
    case OpKind::kFileLock:
    case OpKind::kFileUnlock:
    case OpKind::kSemOp:
      return Place::kAll;
  }
  return Place::kHere;
}

}  // namespace heddle

#endif  // HEDDLE_SIMULATE_DEPENDENCE_PLACES_H_
