// System V message queues and sets of semaphores.
//
// What they are in is asked of the system: how much a queue has and of what type (MSG_COPY leaves
// it there), and what each semaphore's value is. See interpose/system_wait.h.
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/made_here.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/system_wait.h"
#include "runtime/memory/arena.h"
#include "runtime/worker/copyable.h"
#include "runtime/worker/shared_places.h"

namespace heddle {
namespace {

constexpr std::uint64_t kSets = 0x7365;
constexpr std::uint64_t kQueues = 0x7175;
constexpr int kCopy = 040000;  // MSG_COPY

// Made by `make(flags)`: known to be new where that can be told.
template <typename Make>
int Get(SystemObject kind, key_t key, int flags, const Make& make) {
  NoteFileChange();
  if (key != IPC_PRIVATE) {
    char name[40];
    std::snprintf(name, sizeof name, "/System V key 0x%x", static_cast<unsigned>(key));
    NoteSharedFile(AT_FDCWD, name);
  }
  const bool may_be_made = key == IPC_PRIVATE || (flags & IPC_CREAT) != 0;
  const int made = may_be_made ? make(flags | IPC_EXCL) : -1;
  if (made >= 0) NoteMade(kind, made);
  if (made >= 0 || (may_be_made && errno != EEXIST)) return made;
  return make(flags);
}

// --- queues

struct Queue {
  int id;
  std::uint64_t peer() const { return Mix(kQueues, static_cast<std::uint64_t>(id)); }
};

bool QueueIsInside(void* queue) {
  return IsMadeHere(SystemObject::kMessages, static_cast<const Queue*>(queue)->id);
}

bool IsFull(const msqid_ds& state, std::size_t size) {
  return state.__msg_cbytes + size > state.msg_qbytes || state.msg_qnum + 1 > state.msg_qbytes;
}

struct Sending : Queue {
  std::size_t size;
};

bool CanSend(void* argument) {
  const auto& sending = *static_cast<const Sending*>(argument);
  msqid_ds state = {};
  if (RawSyscall(SYS_msgctl, sending.id, IPC_STAT, reinterpret_cast<long>(&state)) < 0) return true;
  return !IsFull(state, sending.size) || sending.size > state.msg_qbytes;
}

struct Receiving : Queue {
  long type;
  int flags;
  bool Takes(long which) const {
    if (type == 0) return true;
    if (type < 0) return which <= -type;
    return (which == type) != ((flags & MSG_EXCEPT) != 0);
  }
};

bool CanReceive(void* argument) {
  const auto& receiving = *static_cast<const Receiving*>(argument);
  msqid_ds state = {};
  if (RawSyscall(SYS_msgctl, receiving.id, IPC_STAT, reinterpret_cast<long>(&state)) < 0) {
    return true;
  }
  if (state.msg_qnum == 0 || receiving.type == 0) return state.msg_qnum > 0;
  const EngineScope scope;
  const std::size_t room = state.__msg_cbytes;  // no message is larger than all of them
  auto* const copy = static_cast<long*>(ArenaAllocate(sizeof(long) + room));
  bool can = false;
  for (long i = 0; !can && i < static_cast<long>(state.msg_qnum); ++i) {
    const long got = RawSyscall(SYS_msgrcv, receiving.id, reinterpret_cast<long>(copy),
                                static_cast<long>(room), i, kCopy | IPC_NOWAIT | MSG_NOERROR);
    can = got < 0 || receiving.Takes(*copy);  // not every system copies: then the call tells
  }
  ArenaFree(copy);
  return can;
}

// What is not, the system refuses.
bool IsPlausible(std::size_t size) { return size <= INT_MAX; }

int Send(Scheduler* scheduler, Sending what, const void* message, int flags, std::uint64_t site) {
  const OutgoingBytes bytes(message, sizeof(long) + what.size, site);
  const SystemWait wait = {.kind = OpKind::kSend,
                           .waits = (flags & IPC_NOWAIT) == 0,
                           .can = CanSend,
                           .is_inside = QueueIsInside,
                           .argument = &what,
                           .restarts = false,
                           .site = site};
  return static_cast<int>(Do(scheduler, wait, [&]() -> long {
    return HEDDLE_NEXT(msgsnd)(what.id, bytes.bytes(), what.size, flags | IPC_NOWAIT);
  }));
}

ssize_t Receive(Scheduler* scheduler, Receiving what, const iovec& message, std::uint64_t site) {
  IncomingBytes bytes(message.iov_base, message.iov_len, site);
  const SystemWait wait = {.kind = OpKind::kReceive,
                           .waits = (what.flags & IPC_NOWAIT) == 0,
                           .can = CanReceive,
                           .is_inside = QueueIsInside,
                           .argument = &what,
                           .restarts = false,
                           .site = site};
  constexpr long kType = sizeof(long);
  const long got = Do(scheduler, wait, [&]() -> long {
    const auto receive = [&]() -> long {
      const ssize_t size =
          HEDDLE_NEXT(msgrcv)(what.id, bytes.bytes(), message.iov_len - sizeof(long), what.type,
                              what.flags | IPC_NOWAIT);
      return size < 0 ? size : size + kType;
    };
    if (IsMadeHere(SystemObject::kMessages, what.id)) return receive();
    return outside::Ask({.kind = InputKind::kReceive,
                         .into = {.parts = &bytes.into(), .count = 1},
                         .peer = what.peer()},
                        receive);
  });
  bytes.Arrived(got);
  return got < 0 ? got : got - kType;
}

// --- semaphores

struct Operations {
  int set;
  const sembuf* first;
  std::size_t count;
};

bool SetIsInside(void* operations) {
  return IsMadeHere(SystemObject::kSemaphores, static_cast<const Operations*>(operations)->set);
}

// All of them one after the other, or none. Where it fails, it does not wait.
bool CanOperate(void* argument) {
  const auto& [set, first, count] = *static_cast<const Operations*>(argument);
  for (std::size_t i = 0; i < count; ++i) {
    long value = RawSyscall(SYS_semctl, set, first[i].sem_num, GETVAL, 0);
    if (value < 0) return true;
    for (std::size_t before = 0; before < i; ++before) {
      if (first[before].sem_num == first[i].sem_num) value += first[before].sem_op;
    }
    const bool waits = first[i].sem_op == 0 ? value != 0 : value + first[i].sem_op < 0;
    if (waits) return (first[i].sem_flg & IPC_NOWAIT) != 0;
  }
  return true;
}

// The program's operations in the form that does not wait.
class AtOnce {
 public:
  explicit AtOnce(const Operations& what) {
    const EngineScope scope;
    operations_ = static_cast<sembuf*>(ArenaAllocate(what.count * sizeof(sembuf)));
    std::copy_n(what.first, what.count, operations_);
    for (std::size_t i = 0; i < what.count; ++i) operations_[i].sem_flg |= IPC_NOWAIT;
  }
  ~AtOnce() {
    const EngineScope scope;
    ArenaFree(operations_);
  }
  AtOnce(const AtOnce&) = delete;
  AtOnce& operator=(const AtOnce&) = delete;

  sembuf* first() const { return operations_; }

 private:
  sembuf* operations_;
};

bool IsPlausibleCount(std::size_t count) { return count > 0 && count <= 1024; }

std::uint64_t KeyOfSet(int set) { return OrderKey(kSets, static_cast<std::uint64_t>(set)); }

int Operate(Scheduler* scheduler, Operations what, const timespec* time, std::uint64_t site) {
  const bool may_wait = std::any_of(what.first, what.first + what.count, [](const sembuf& one) {
    return one.sem_op <= 0 && (one.sem_flg & IPC_NOWAIT) == 0;
  });
  bool gives_up = false;
  SystemWait wait = {.kind = OpKind::kSemOp,
                     .waits = may_wait,
                     .can = CanOperate,
                     .is_inside = SetIsInside,
                     .argument = &what,
                     .order_key = KeyOfSet(what.set),
                     .acquires = true,
                     .releases = &gives_up,
                     .cancels = false,
                     .restarts = false,
                     .site = site};
  if (time != nullptr) wait.deadline = DeadlineIn(scheduler, time, site);
  return static_cast<int>(Do(scheduler, wait, [&]() -> long {
    const AtOnce now(what);
    const int result = HEDDLE_NEXT(semop)(what.set, now.first(), what.count);
    gives_up = result == 0;  // who waits for zero, too, is let go on
    return result;
  }));
}

// What is asked or set otherwise is in order with the operations.
template <typename Call>
int Control(Scheduler* scheduler, OpKind kind, std::uint64_t order_key, std::uint64_t site,
            const Call& call) {
  bool gives_up = false;
  return static_cast<int>(Do(scheduler,
                             {.kind = kind,
                              .order_key = order_key,
                              .acquires = true,
                              .releases = &gives_up,
                              .cancels = false,
                              .site = site},
                             [&]() -> long {
                               const int result = call();
                               gives_up = result >= 0;
                               return result;
                             }));
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
using heddle::SystemObject;

HEDDLE_EXPORT int msgget(key_t key, int flags) noexcept {
  return heddle::Get(SystemObject::kMessages, key, flags,
                     [=](int how) { return HEDDLE_NEXT(msgget)(key, how); });
}

HEDDLE_EXPORT int msgsnd(int queue, const void* message, std::size_t size, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr || !heddle::IsPlausible(size)) {
    return HEDDLE_NEXT(msgsnd)(queue, message, size, flags);
  }
  return heddle::Send(scheduler, {{queue}, size}, message, flags, HEDDLE_CALLER);
}

HEDDLE_EXPORT ssize_t msgrcv(int queue, void* message, std::size_t size, long type, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr || !heddle::IsPlausible(size)) {
    return HEDDLE_NEXT(msgrcv)(queue, message, size, type, flags);
  }
  return heddle::Receive(scheduler, {{queue}, type, flags}, {message, sizeof(long) + size},
                         HEDDLE_CALLER);
}

HEDDLE_EXPORT int msgctl(int queue, int command, msqid_ds* state) noexcept {
  const auto call = [=] {
    const int result = HEDDLE_NEXT(msgctl)(queue, command, state);
    const bool is_gone = command == IPC_RMID && result == 0;
    if (is_gone) heddle::NoteRemoved(SystemObject::kMessages, queue);
    return result;
  };
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return call();
  return heddle::Control(scheduler, heddle::OpKind::kDescriptor, 0, HEDDLE_CALLER, call);
}

HEDDLE_EXPORT int semget(key_t key, int count, int flags) noexcept {
  return heddle::Get(SystemObject::kSemaphores, key, flags,
                     [=](int how) { return HEDDLE_NEXT(semget)(key, count, how); });
}

HEDDLE_EXPORT int semop(int set, sembuf* operations, std::size_t count) noexcept {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr || !heddle::IsPlausibleCount(count)) {
    return HEDDLE_NEXT(semop)(set, operations, count);
  }
  return heddle::Operate(scheduler, {set, operations, count}, nullptr, HEDDLE_CALLER);
}

HEDDLE_EXPORT int semtimedop(int set, sembuf* operations, std::size_t count,
                             const timespec* time) noexcept {
  Scheduler* const scheduler = heddle::IoScheduler();
  const bool is_valid = time == nullptr || heddle::IsValid(time);
  if (scheduler == nullptr || !heddle::IsPlausibleCount(count) || !is_valid) {
    return HEDDLE_NEXT(semtimedop)(set, operations, count, time);
  }
  return heddle::Operate(scheduler, {set, operations, count}, time, HEDDLE_CALLER);
}

// The fourth argument is a number or a pointer, if there is one: either fits into a pointer.
HEDDLE_EXPORT int semctl(int set, int which, int command, ...) noexcept {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  const auto call = [=] {
    const int result = HEDDLE_NEXT(semctl)(set, which, command, argument);
    const bool is_gone = command == IPC_RMID && result == 0;
    if (is_gone) heddle::NoteRemoved(SystemObject::kSemaphores, set);
    return result;
  };
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return call();
  return heddle::Control(scheduler, heddle::OpKind::kSemOp, heddle::KeyOfSet(set), HEDDLE_CALLER,
                         call);
}
