// When the order of two operations matters: the relation that classes, DPOR and tests share.
//
// Two operations of different threads depend on each other when they touch the same object, unless
// both touch it in the same commuting way. So every operation has, per object, an AccessMode; the
// operations on an object fall into groups of neighbours with one commuting access, and only the
// order of the groups is part of a class (trace/class_hash.h).
//
// What an operation did decides, once it has been carried out: a compare-and-exchange or a try-lock
// that failed, or a wait whose time was up, has changed nothing, and commutes with others of which
// the same is true (FailedAccessOf). Of one that
// is only announced nobody knows, so it counts as what it may come to. Two neighbours that commute
// in one order do so in the other, because neither changes what the other finds: classes of runs
// are well defined. Whatever can add an outcome to an operation depends on it (a wait adds a waiter
// that a signal may reach), so that a search that tries all outcomes of the operations it runs
// misses none.
//
// A read-modify-write that leaves the value it found (adds 0, exchanges like for like) stays a
// write: a later load reads from it and synchronises with it, so its place in the order of writes
// is something that the program can tell, and all tools that count classes count it so.
#ifndef HEDDLE_TRACE_DEPENDENCE_H_
#define HEDDLE_TRACE_DEPENDENCE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "trace/op.h"

namespace heddle {

enum class AccessMode : std::uint8_t {
  kAlone,    // commutes with nothing, not even with another of its kind
  kReading,  // leaves what others see; joining or leaving a queue, too: it has no order
  kPosting,  // adds to a count; or lets time pass: two deadlines give the later one, either way
  kLooking,  // finds out that it can't have a read-write lock: readers matter to it
};

namespace internal {

constexpr AccessMode AccessModeOf(OpKind kind) {
  switch (kind) {
    case OpKind::kSemPost:
    case OpKind::kSleep:
      return AccessMode::kPosting;
    case OpKind::kWait:       // joins the waiters of its condition,
    case OpKind::kWake:       // leaves them (by time-out; when signalled, it is a lock instead),
    case OpKind::kFutexWait:  // looks at the value and joins the sleepers
      return AccessMode::kReading;
    default:  // readers of a read-write lock, coming and going, are kReading among themselves
      return IsWrite(kind) ? AccessMode::kAlone : AccessMode::kReading;
  }
}

inline constexpr auto kAccessModes = [] {
  std::array<AccessMode, kOpKindCount> modes{};
  for (int kind = 0; kind < kOpKindCount; ++kind) {
    modes[static_cast<std::size_t>(kind)] = AccessModeOf(static_cast<OpKind>(kind));
  }
  return modes;
}();

constexpr AccessMode FailedAccessModeOf(OpKind kind) {
  switch (kind) {
    case OpKind::kAtomicRmw:   // a compare-and-exchange that found another value
    case OpKind::kTryLock:     // found somebody inside
    case OpKind::kLock:        // ... until its time was up
    case OpKind::kSemTryWait:  // found nothing
    case OpKind::kSemWait:
    case OpKind::kOnce:     // found it done
    case OpKind::kTryJoin:  // found it alive
    case OpKind::kTimedJoin:
      return AccessMode::kReading;
    case OpKind::kTryReadLock:  // found a writer inside; behind one that only waits it is a reader
    case OpKind::kReadLock:
    case OpKind::kTryWriteLock:
    case OpKind::kWriteLock:  // unless it leaves a queue, which changes something for readers
      return AccessMode::kLooking;
    default:  // a writer that queues, a misuse
      return AccessModeOf(kind);
  }
}

inline constexpr auto kFailedAccessModes = [] {
  std::array<AccessMode, kOpKindCount> modes{};
  for (int kind = 0; kind < kOpKindCount; ++kind) {
    modes[static_cast<std::size_t>(kind)] = FailedAccessModeOf(static_cast<OpKind>(kind));
  }
  return modes;
}();

}  // namespace internal

// How an operation touches its first object, or may. Asked at every event.
constexpr AccessMode AccessOf(OpKind kind) {
  return internal::kAccessModes[static_cast<std::size_t>(kind)];
}

// ... and how it did, if it has failed (Event::kFailed or kTimedOut).
constexpr AccessMode FailedAccessOf(OpKind kind) {
  return internal::kFailedAccessModes[static_cast<std::size_t>(kind)];
}

// Whether an operation with a time limit lets time pass if it comes to that. Where reading the
// clock is a point (Rule::kClock) its second object is the clock, whether time has passed or not:
// otherwise taking a lock in time instead of late would change what it depends on beside the lock.
// Who gives up waiting in a queue does so in an event of its own.
constexpr bool MayLetTimePass(OpKind kind) {
  return kind == OpKind::kLock || kind == OpKind::kSemWait || kind == OpKind::kReadLock ||
         kind == OpKind::kWriteLock || kind == OpKind::kTimedJoin || kind == OpKind::kSigWait ||
         kind == OpKind::kWake;
}

// ... and its second one. The mutex of a wait it changes. Of an operation on one channel the second
// stands for all descriptors: others may use theirs before or after.
constexpr AccessMode SecondAccessOf(OpKind kind) {
  const bool is_on_channel = kind == OpKind::kSend || kind == OpKind::kReceive ||
                             kind == OpKind::kLook || kind == OpKind::kEpollWait ||
                             kind == OpKind::kDescriptor;
  if (MayLetTimePass(kind)) return AccessMode::kPosting;
  return is_on_channel ? AccessMode::kReading : AccessMode::kAlone;
}

constexpr bool Commute(AccessMode a, AccessMode b) { return a == b && a != AccessMode::kAlone; }

// Whether swapping two neighbouring operations of different threads can change anything, given how
// each touches its first object. Of PendingOp, or of whatever else has a kind and two objects.
template <typename Operation>
constexpr bool Dependent(const Operation& a, AccessMode a_access, const Operation& b,
                         AccessMode b_access) {
  // What comes behind the end of the process may never come.
  if (a.kind == OpKind::kProcessExit || b.kind == OpKind::kProcessExit) return true;
  const auto clash = [](ObjectId x, AccessMode x_access, ObjectId y, AccessMode y_access) {
    return x == y && x != kNoObject && !Commute(x_access, y_access);
  };
  const AccessMode a_second = SecondAccessOf(a.kind), b_second = SecondAccessOf(b.kind);
  return clash(a.object, a_access, b.object, b_access) ||
         clash(a.object, a_access, b.second, b_second) ||
         clash(a.second, a_second, b.object, b_access) ||
         clash(a.second, a_second, b.second, b_second);
}

// ... of two that are only announced.
constexpr bool Dependent(const PendingOp& a, const PendingOp& b) {
  return Dependent(a, AccessOf(a.kind), b, AccessOf(b.kind));
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_DEPENDENCE_H_
