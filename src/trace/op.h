// What a thread does next: the visible operations, once.
//
// A thread announces its next operation *before* doing it. The table below is the only list of
// kinds; code, reports, schedule files and docs read it.
#ifndef HEDDLE_TRACE_OP_H_
#define HEDDLE_TRACE_OP_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ids.h"

namespace heddle {

// X(enumerator, name in files and reports, how it touches its object, whether it can branch)
//   touch:  kReads commute with each other; kWrites conflict with everything on the same object
//   branch: kPoint is a scheduling point; kEager is an event that runs as soon as it can, because
//   it
//           commutes with whatever the other threads could do first (see docs/architecture.md)
// Readers of a read-write lock commute with each other, taking and giving back alike; a writer that
// queues (wrlock-wait) does so only where writers are preferred: from then on readers must wait.
// A look is a poll of nothing but channels of the program's own; an epoll-wait is one that takes
// from its set what it tells: the order of what is ready, an edge, a single shot.
#define HEDDLE_OP_KINDS(X)                                           \
  X(kNone, "none", kReads, kEager)                                   \
  X(kRead, "read", kReads, kPoint)                                   \
  X(kWrite, "write", kWrites, kPoint)                                \
  X(kAtomicLoad, "load", kReads, kPoint)                             \
  X(kAtomicStore, "store", kWrites, kPoint)                          \
  X(kAtomicRmw, "rmw", kWrites, kPoint)                              \
  X(kFence, "fence", kReads, kEager)                                 \
  X(kLock, "lock", kWrites, kPoint)                                  \
  X(kTryLock, "trylock", kWrites, kPoint)                            \
  X(kUnlock, "unlock", kWrites, kPoint)                              \
  X(kWait, "wait", kWrites, kPoint)                                  \
  X(kWake, "wake", kWrites, kPoint)                                  \
  X(kSignal, "signal", kWrites, kPoint)                              \
  X(kBroadcast, "broadcast", kWrites, kPoint)                        \
  X(kSemWait, "sem-wait", kWrites, kPoint)                           \
  X(kSemTryWait, "sem-trywait", kWrites, kPoint)                     \
  X(kSemPost, "sem-post", kWrites, kPoint)                           \
  X(kSemValue, "sem-value", kReads, kPoint)                          \
  X(kFutexWait, "futex-wait", kWrites, kPoint)                       \
  X(kFutexWake, "futex-wake", kWrites, kPoint)                       \
  X(kOnce, "once", kWrites, kPoint)                                  \
  X(kOnceDone, "once-done", kWrites, kPoint)                         \
  X(kCreate, "create", kWrites, kEager)                              \
  X(kStart, "start", kWrites, kEager)                                \
  X(kExit, "exit", kWrites, kEager)                                  \
  X(kJoin, "join", kWrites, kEager)                                  \
  X(kDetach, "detach", kWrites, kEager)                              \
  X(kYield, "yield", kReads, kPoint)                                 \
  X(kSleep, "sleep", kWrites, kPoint)                                \
  X(kClock, "clock", kReads, kEager)                                 \
  X(kProcessExit, "process-exit", kWrites, kPoint)                   \
  X(kAnnotation, "annotation", kWrites, kPoint)                      \
  X(kInit, "init", kWrites, kPoint)                                  \
  X(kDestroy, "destroy", kWrites, kPoint)                            \
  X(kOwnerDied, "owner-died", kWrites, kPoint)                       \
  X(kReadLock, "rdlock", kReads, kPoint)                             \
  X(kTryReadLock, "tryrdlock", kReads, kPoint)                       \
  X(kReadUnlock, "rdunlock", kReads, kPoint)                         \
  X(kQueueWriter, "wrlock-wait", kWrites, kPoint)                    \
  X(kWriteLock, "wrlock", kWrites, kPoint)                           \
  X(kTryWriteLock, "trywrlock", kWrites, kPoint)                     \
  X(kWriteUnlock, "wrunlock", kWrites, kPoint)                       \
  X(kBarrierArrive, "arrive", kWrites, kPoint)                       \
  X(kBarrierLeave, "leave", kReads, kEager)                          \
  X(kTimedJoin, "timed-join", kWrites, kPoint)                       \
  X(kTryJoin, "tryjoin", kWrites, kPoint)                            \
  X(kCancel, "cancel", kWrites, kPoint)                              \
  X(kCancelled, "cancelled", kWrites, kEager)                        \
  X(kKill, "kill", kWrites, kPoint)                                  \
  X(kHandler, "handler", kWrites, kEager)                            \
  X(kSigWait, "sigwait", kWrites, kPoint)                            \
  X(kSend, "send", kWrites, kPoint)                                  \
  X(kReceive, "receive", kWrites, kPoint)                            \
  X(kPoll, "poll", kWrites, kPoint)                                  \
  X(kLook, "look", kReads, kPoint)                                   \
  X(kDescriptor, "descriptor", kWrites, kPoint)                      \
  /* <heddle/sync.h>: semaphores, locks, monitors, ports */          \
  X(kP, "P", kWrites, kPoint)                                        \
  X(kV, "V", kWrites, kPoint)                                        \
  X(kAcquire, "acquire", kWrites, kPoint)                            \
  X(kRelease, "release", kWrites, kEager)                            \
  X(kEnter, "enter", kWrites, kPoint)                                \
  X(kLeave, "exit-monitor", kWrites, kEager)                         \
  X(kQueue, "queue", kWrites, kEager)                                \
  X(kNotify, "notify", kWrites, kEager)                              \
  X(kResume, "resume", kWrites, kEager)                              \
  X(kPortSend, "port-send", kReads, kPoint)                          \
  X(kPortPut, "port-put", kWrites, kPoint)                           \
  X(kPortSent, "port-sent", kReads, kEager)                          \
  X(kPortReceive, "port-receive", kWrites, kPoint)                   \
  X(kPortOpen, "port-open", kReads, kEager)                          \
  X(kEpollWait, "epoll-wait", kWrites, kPoint)                       \
  /* what is a point by a Rule: a clock read, the end of a thread */ \
  X(kTime, "time", kReads, kPoint)                                   \
  X(kEnd, "end", kWrites, kPoint)                                    \
  /* locks of files; System V semaphores, several at a time */       \
  X(kFileLock, "file-lock", kWrites, kPoint)                         \
  X(kFileUnlock, "file-unlock", kWrites, kPoint)                     \
  X(kSemOp, "semop", kWrites, kPoint)

enum class OpKind : std::uint8_t {
#define HEDDLE_X(name, text, touch, branch) name,
  HEDDLE_OP_KINDS(HEDDLE_X)
#undef HEDDLE_X
};

enum class Touch : std::uint8_t { kReads, kWrites };
enum class Branch : std::uint8_t { kEager, kPoint };

inline constexpr std::string_view kOpKindNames[] = {
#define HEDDLE_X(name, text, touch, branch) text,
    HEDDLE_OP_KINDS(HEDDLE_X)
#undef HEDDLE_X
};
inline constexpr int kOpKindCount = sizeof kOpKindNames / sizeof kOpKindNames[0];

// Asked at every event: in tables of their own, a byte each.
inline constexpr Touch kOpKindTouches[] = {
#define HEDDLE_X(name, text, touch, branch) Touch::touch,
    HEDDLE_OP_KINDS(HEDDLE_X)
#undef HEDDLE_X
};
inline constexpr Branch kOpKindBranches[] = {
#define HEDDLE_X(name, text, touch, branch) Branch::branch,
    HEDDLE_OP_KINDS(HEDDLE_X)
#undef HEDDLE_X
};

constexpr std::string_view NameOf(OpKind kind) { return kOpKindNames[static_cast<int>(kind)]; }
constexpr bool IsWrite(OpKind kind) {
  return kOpKindTouches[static_cast<int>(kind)] == Touch::kWrites;
}
constexpr bool IsPoint(OpKind kind) {
  return kOpKindBranches[static_cast<int>(kind)] == Branch::kPoint;
}
constexpr bool IsPlainAccess(OpKind kind) {
  return kind == OpKind::kRead || kind == OpKind::kWrite;
}
constexpr bool IsAtomic(OpKind kind) {
  return kind == OpKind::kAtomicLoad || kind == OpKind::kAtomicStore || kind == OpKind::kAtomicRmw;
}
std::optional<OpKind> OpKindByName(std::string_view name);

// An announced operation, as a Policy sees it.
struct PendingOp {
  std::uint64_t site = 0;  // return address into the program
  ObjectId object = kNoObject;
  ObjectId second = kNoObject;  // the mutex of a wait; otherwise none
  std::uint32_t context = 0;    // hash of the last call sites
  // As its event will have them: recorded all at once.
  OpKind kind = OpKind::kNone;
  std::uint8_t size = 0;   // bytes accessed, for memory
  std::uint8_t order = 0;  // C++ memory order, for atomics (recorded; semantics are SC)
  std::uint8_t flags = 0;  // kMayTimeOut or none
  bool spins = false;      // it comes round again and again, reading the same: others may go first

  static constexpr std::uint8_t kMayTimeOut = 8;

  constexpr bool timed() const { return flags != 0; }  // may end by time-out
  constexpr void SetTimed(bool timed) { flags = timed ? kMayTimeOut : std::uint8_t{0}; }
};

// The thread would rather let others go first: it yields, sleeps or waits in a loop.
constexpr bool OffersToStop(const PendingOp& op) {
  return op.kind == OpKind::kYield || op.kind == OpKind::kSleep || op.spins;
}

// Whether swapping two neighbouring operations of different threads can change anything.
constexpr bool Conflict(const PendingOp& a, const PendingOp& b) {
  const bool writes = IsWrite(a.kind) || IsWrite(b.kind);
  const auto same = [](ObjectId x, ObjectId y) { return x == y && x != kNoObject; };
  return writes && (same(a.object, b.object) || same(a.object, b.second) ||
                    same(a.second, b.object) || same(a.second, b.second));
}

}  // namespace heddle

#endif  // HEDDLE_TRACE_OP_H_
