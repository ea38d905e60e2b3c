// When the order of two operations matters: the relation that classes, DPOR and tests share.
//
// Two operations of different threads depend on each other when they touch the same object, unless
// both touch it in the same commuting way. So every operation has, per object, an AccessMode; the
// operations on an object fall into groups of neighbours with one commuting access, and only the
// order of the groups is part of a class (trace/class_hash.h).
//
// The relation is between operations, not their outcomes: a compare-and-exchange or a try-lock is a
// write whether it succeeds or not, because the outcome is what the order decides. Whatever can add
// an outcome to an operation depends on it (a wait adds a waiter that a signal may reach), so that
// a search that tries all outcomes of the operations it runs misses none.
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
  kPosting,  // adds to a count
};

namespace internal {

constexpr AccessMode AccessModeOf(OpKind kind) {
  switch (kind) {
    case OpKind::kSemPost:
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

}  // namespace internal

// How an operation touches its first object. Asked at every event.
constexpr AccessMode AccessOf(OpKind kind) {
  return internal::kAccessModes[static_cast<std::size_t>(kind)];
}

// ... and its second one. The mutex of a wait it changes. Of an operation on one channel the second
// stands for all descriptors: others may use theirs before or after.
constexpr AccessMode SecondAccessOf(OpKind kind) {
  const bool is_on_channel =
      kind == OpKind::kSend || kind == OpKind::kReceive || kind == OpKind::kDescriptor;
  return is_on_channel ? AccessMode::kReading : AccessMode::kAlone;
}

constexpr bool Commute(AccessMode a, AccessMode b) { return a == b && a != AccessMode::kAlone; }

// Whether swapping two neighbouring operations of different threads can change anything. Of
// PendingOp, or of whatever else has a kind and two objects.
template <typename Operation>
constexpr bool Dependent(const Operation& a, const Operation& b) {
  // What comes behind the end of the process may never come.
  if (a.kind == OpKind::kProcessExit || b.kind == OpKind::kProcessExit) return true;
  const auto same = [](ObjectId x, ObjectId y) { return x == y && x != kNoObject; };
  return (same(a.object, b.object) && !Commute(AccessOf(a.kind), AccessOf(b.kind))) ||
         same(a.object, b.second) || same(a.second, b.object) ||
         (same(a.second, b.second) && !Commute(SecondAccessOf(a.kind), SecondAccessOf(b.kind)));
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_DEPENDENCE_H_
