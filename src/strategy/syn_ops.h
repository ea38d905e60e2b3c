// Which operations of a real run are SYN-events of reachability testing, and which.
#ifndef HEDDLE_STRATEGY_SYN_OPS_H_
#define HEDDLE_STRATEGY_SYN_OPS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/hash.h"
#include "reach/sequence.h"
#include "trace/op.h"
#include "trace/records.h"

namespace heddle {

enum class SynRole : std::uint8_t {
  kLocal,    // none
  kCall,     // a call and its completion by the object
  kWait,     // a call of the condition, the wish to be woken, a call of unlock of the mutex
  kSend,     // a message; the thread goes on
  kReceive,  // completed by the receiving thread
  kPipe,     // on the port that a port-open event of the thread named before, if any
};

struct SynOp {
  SynRole role = SynRole::kLocal;
  reach::Operation operation = reach::Operation::kTouch;
  std::string_view uncovered = {};  // why the model does not cover it
};

constexpr SynOp DescribeSynOp(OpKind kind) {
  using reach::Operation;
  switch (kind) {
    case OpKind::kP:
    case OpKind::kSemWait:
      return {SynRole::kCall, Operation::kP};
    case OpKind::kV:
    case OpKind::kSemPost:
      return {SynRole::kCall, Operation::kV};
    case OpKind::kAcquire:
    case OpKind::kLock:
      return {SynRole::kCall, Operation::kLock};
    case OpKind::kRelease:
    case OpKind::kUnlock:
      return {SynRole::kCall, Operation::kUnlock};
    case OpKind::kEnter:
      return {SynRole::kCall, Operation::kEnter};
    case OpKind::kPortPut:
      return {SynRole::kCall, Operation::kPut};
    case OpKind::kPortSend:
      return {SynRole::kSend, Operation::kSend};
    case OpKind::kPortReceive:
      return {SynRole::kReceive, Operation::kSend};
    case OpKind::kWait:
      return {SynRole::kWait, Operation::kTouch};
    case OpKind::kSignal:
    case OpKind::kBroadcast:
    case OpKind::kRead:
    case OpKind::kWrite:
    case OpKind::kAtomicLoad:
    case OpKind::kAtomicStore:
    case OpKind::kAtomicRmw:
      return {SynRole::kCall, Operation::kTouch};
    // While one thread initialises, the others can't even pass.
    case OpKind::kOnce:
      return {SynRole::kCall, Operation::kEnter};
    case OpKind::kOnceDone:
      return {SynRole::kCall, Operation::kV};
    case OpKind::kTryLock:
      return {SynRole::kCall, Operation::kTouch, "a trylock"};
    case OpKind::kSemTryWait:
      return {SynRole::kCall, Operation::kTouch, "a sem_trywait"};
    case OpKind::kSemValue:
      return {SynRole::kCall, Operation::kTouch, "a sem_getvalue"};
    case OpKind::kFutexWait:
    case OpKind::kFutexWake:
      return {SynRole::kCall, Operation::kTouch, "a futex"};
    case OpKind::kInit:
    case OpKind::kDestroy:
      return {SynRole::kCall, Operation::kTouch};
    case OpKind::kReadLock:
    case OpKind::kTryReadLock:
    case OpKind::kReadUnlock:
    case OpKind::kQueueWriter:
    case OpKind::kWriteLock:
    case OpKind::kTryWriteLock:
    case OpKind::kWriteUnlock:
      return {SynRole::kLocal, Operation::kTouch, "a read-write lock"};
    case OpKind::kBarrierArrive:
      return {SynRole::kLocal, Operation::kTouch, "a barrier"};
    case OpKind::kOwnerDied:
      return {SynRole::kLocal, Operation::kTouch, "a robust mutex whose owner ended"};
    case OpKind::kTimedJoin:
    case OpKind::kTryJoin:
      return {SynRole::kLocal, Operation::kTouch, "a join that may give up"};
    case OpKind::kCancel:
    case OpKind::kCancelled:
      return {SynRole::kLocal, Operation::kTouch, "cancellation"};
    case OpKind::kKill:
    case OpKind::kHandler:
    case OpKind::kSigWait:
      return {SynRole::kLocal, Operation::kTouch, "a signal between threads"};
    case OpKind::kSend:
    case OpKind::kReceive:
    case OpKind::kDescriptor:
      return {SynRole::kPipe, Operation::kTouch};
    case OpKind::kPoll:
    case OpKind::kLook:
    case OpKind::kEpollWait:
      return {SynRole::kLocal, Operation::kTouch, "a wait for descriptors (poll, select, epoll)"};
    case OpKind::kFileLock:
    case OpKind::kFileUnlock:
      return {SynRole::kLocal, Operation::kTouch, "a lock on a file"};
    case OpKind::kSemOp:
      return {SynRole::kLocal, Operation::kTouch, "System V semaphores"};
    case OpKind::kSleep:
      return {SynRole::kLocal, Operation::kTouch, "a sleep"};
    case OpKind::kYield:
      return {SynRole::kLocal, Operation::kTouch, "a yield"};
    default:
      return {};
  }
}

// The same as a table: it is asked for every event.
inline constexpr auto kSynOps = [] {
  std::array<SynOp, kOpKindCount> table;
  for (int i = 0; i < kOpKindCount; ++i) table[i] = DescribeSynOp(static_cast<OpKind>(i));
  return table;
}();
constexpr const SynOp& SynOpOf(OpKind kind) { return kSynOps[static_cast<std::size_t>(kind)]; }

// How a thread is about to use a port of a descriptor: in the `size` of a port-open event. Ports of
// <heddle/sync.h> are only opened to receive. (The engine's runtime/interpose/ports.h writes it,
// and says what the values are.)
enum class PipeUse : std::uint8_t {
  kNone,
  kWrite,
  kRead,
  kClose,
  kOffer,
  kTake,
  kAdd,
  kDrain,
  kTakeOne,
};
inline constexpr std::uint64_t kNoMoreRead = 1, kNoMoreWritten = 2;
constexpr PipeUse PipeUseOf(const Event& event) { return static_cast<PipeUse>(event.size); }
constexpr bool Puts(PipeUse use) { return use == PipeUse::kWrite || use == PipeUse::kOffer; }
constexpr bool Takes(PipeUse use) { return use == PipeUse::kRead || use == PipeUse::kTake; }
// A counter is a semaphore.
constexpr bool TakesCount(PipeUse use) {
  return use == PipeUse::kDrain || use == PipeUse::kTakeOne;
}
constexpr bool Counts(PipeUse use) { return use == PipeUse::kAdd || TakesCount(use); }

// A receiving thread as an owner, beside the objects' keys.
constexpr std::uint64_t ReceiverKey(std::uint64_t path_hash) {
  return Mix(path_hash, 0x5265636569766572ull);
}

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_SYN_OPS_H_
