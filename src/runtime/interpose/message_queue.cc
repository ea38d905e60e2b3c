#include "runtime/interpose/message_queue.h"

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/descriptors.h"
#include "runtime/interpose/made_here.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/transfer.h"
#include "runtime/worker/copyable.h"
#include "runtime/worker/shared_places.h"

namespace heddle {
namespace {

bool any_was_opened = false;  // by this process or one before it

int Fail(int error) {
  errno = error;
  return -1;
}

// Whether it is the program's own is known to who makes it.
mqd_t Open(const char* name, int flags, mode_t mode, mq_attr* attributes) {
  const auto next = HEDDLE_NEXT(mq_open);
  NoteFileChange();
  NoteSharedFile(AT_FDCWD, name);
  mqd_t queue = -1;
  bool is_new = false;
  if ((flags & O_CREAT) != 0) {
    queue = next(name, flags | O_EXCL, mode, attributes);
    is_new = queue >= 0;
  }
  if (queue < 0 && ((flags & O_CREAT) == 0 || errno == EEXIST)) {
    queue = next(name, flags, mode, attributes);
  }
  if (queue < 0 || !KeepsNotes()) return queue;
  any_was_opened = true;
  const int error = errno;
  if (is_new) NoteNameMade(name);
  SetInside(queue, is_new || IsNameMadeHere(name));
  Numbers::NoteOpened(queue);
  errno = error;
  return queue;
}

Transfer TransferOn(mqd_t queue, OpKind kind, const Deadline& deadline, std::uint64_t site) {
  const bool receives = kind == OpKind::kReceive;
  Transfer transfer = {kind, queue, receives ? short{POLLIN} : short{POLLOUT},
                       !IsNonBlocking(queue), site};
  transfer.input = receives ? InputKind::kReceive : InputKind::kSend;
  transfer.deadline = deadline;
  return transfer;
}

// Whoever else may use the queue: the call is never left to wait in the system.
template <typename Call>
long Repeat(Scheduler* scheduler, Transfer transfer, const Call& call) {
  bool is_late = false;
  transfer.is_late = &is_late;
  for (;;) {
    const long result = Do(scheduler, transfer, [&]() -> long {
      const NonBlocking scope(transfer.descriptor);
      return call();
    });
    if (is_late) return Fail(ETIMEDOUT);
    if (result >= 0 || errno != EAGAIN || !transfer.waits) return result;
  }
}

struct Letter {
  char* message;
  std::size_t size;
  unsigned* priority;
};

// The priority is told where a socket tells who has sent.
ssize_t Receive(Scheduler* scheduler, mqd_t queue, const Letter& to, const Deadline& deadline,
                std::uint64_t site) {
  IncomingBytes bytes(to.message, to.size, site);
  unsigned priority = 0;
  socklen_t length = sizeof priority;
  Transfer transfer = TransferOn(queue, OpKind::kReceive, deadline, site);
  transfer.into = {&bytes.into(), 1, &priority, &length, sizeof priority};
  const long got = Repeat(scheduler, transfer, [&]() -> long {
    return HEDDLE_NEXT(mq_receive)(queue, static_cast<char*>(bytes.bytes()), to.size, &priority);
  });
  if (got >= 0 && to.priority != nullptr) *to.priority = priority;
  return bytes.Arrived(got);
}

struct Sent {
  const char* message;
  std::size_t size;
  unsigned priority;
};

int Send(Scheduler* scheduler, mqd_t queue, const Sent& what, const Deadline& deadline,
         std::uint64_t site) {
  const OutgoingBytes bytes(what.message, what.size, site);
  const Transfer transfer = TransferOn(queue, OpKind::kSend, deadline, site);
  return static_cast<int>(Repeat(scheduler, transfer, [&]() -> long {
    return HEDDLE_NEXT(mq_send)(queue, bytes.bytes(), what.size, what.priority);
  }));
}

Deadline Until(Scheduler* scheduler, const timespec* time) {
  return time == nullptr ? Deadline() : DeadlineAt(scheduler, CLOCK_REALTIME, time);
}

// A limit that the header says is always there. To the system none is no limit.
const timespec* PerhapsNone(const timespec* limit) {
  asm("" : "+r"(limit));  // what the compiler knows of it is forgotten
  return limit;
}

}  // namespace

bool IsMessageQueue(int descriptor) {
  if (!any_was_opened) return false;
  constexpr long kMagic = 0x19800202;
  struct statfs status = {};
  return RawSyscall(SYS_fstatfs, descriptor, reinterpret_cast<long>(&status)) == 0 &&
         status.f_type == kMagic;
}

}  // namespace heddle

using heddle::Scheduler;

HEDDLE_EXPORT mqd_t mq_open(const char* name, int flags, ...) noexcept {
  mode_t mode = 0;
  mq_attr* attributes = nullptr;
  if ((flags & O_CREAT) != 0) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, mode_t);
    attributes = va_arg(list, mq_attr*);
    va_end(list);
  }
  return heddle::Open(name, flags, mode, attributes);
}

// Natively the same as close, but for cancellation.
HEDDLE_EXPORT int mq_close(mqd_t queue) noexcept {
  return heddle::Close(queue, {.cancels = false, .site = HEDDLE_CALLER});
}

HEDDLE_EXPORT int mq_unlink(const char* name) noexcept {
  const int result = HEDDLE_NEXT(mq_unlink)(name);
  if (result == 0) heddle::NoteNameRemoved(name);
  return result;
}

HEDDLE_EXPORT ssize_t mq_receive(mqd_t queue, char* message, std::size_t size, unsigned* priority) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(mq_receive)(queue, message, size, priority);
  return heddle::Receive(scheduler, queue, {message, size, priority}, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT ssize_t mq_timedreceive(mqd_t queue, char* __restrict message, std::size_t size,
                                      unsigned* __restrict priority,
                                      const timespec* __restrict limit) {
  const timespec* const time = heddle::PerhapsNone(limit);
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) {
    return HEDDLE_NEXT(mq_timedreceive)(queue, message, size, priority, time);
  }
  if (time != nullptr && !heddle::IsValid(time)) return heddle::Fail(EINVAL);
  return heddle::Receive(scheduler, queue, {message, size, priority},
                         heddle::Until(scheduler, time), HEDDLE_CALLER);
}

HEDDLE_EXPORT int mq_send(mqd_t queue, const char* message, std::size_t size, unsigned priority) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(mq_send)(queue, message, size, priority);
  return heddle::Send(scheduler, queue, {message, size, priority}, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT int mq_timedsend(mqd_t queue, const char* message, std::size_t size,
                               unsigned priority, const timespec* limit) {
  const timespec* const time = heddle::PerhapsNone(limit);
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(mq_timedsend)(queue, message, size, priority, time);
  if (time != nullptr && !heddle::IsValid(time)) return heddle::Fail(EINVAL);
  return heddle::Send(scheduler, queue, {message, size, priority}, heddle::Until(scheduler, time),
                      HEDDLE_CALLER);
}
