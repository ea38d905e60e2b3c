// How a call that moves bytes through a descriptor is announced, done and noted: what read, write
// and their relatives share (io_transfer.cc, io_messages.cc).
#ifndef HEDDLE_RUNTIME_INTERPOSE_IO_TRANSFER_H_
#define HEDDLE_RUNTIME_INTERPOSE_IO_TRANSFER_H_

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <span>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/looks.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/passed.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/sockets.h"
#include "runtime/interpose/watches.h"
#include "trace/channel_use.h"

namespace heddle {
namespace transfer {

struct Wanted {
  int descriptor;
  short events;
};

inline bool IsReady(void* argument) {
  const auto& wanted = *static_cast<Wanted*>(argument);
  if (outside::IsFed() && outside::IsOutside(wanted.descriptor)) {
    return outside::EventsOf(wanted.descriptor, wanted.events) != 0;
  }
  return ReadyAt(wanted.descriptor, wanted.events) != 0;
}

// For a connection that only a recording knows: a socket of the listener's kind.
inline int StandIn(int listener) {
  const auto option = [listener](int which) {
    int value = 0;
    socklen_t size = sizeof value;
    RawSyscall(SYS_getsockopt, listener, SOL_SOCKET, which, reinterpret_cast<long>(&value),
               reinterpret_cast<long>(&size));
    return value;
  };
  return static_cast<int>(RawSyscall(SYS_socket, option(SO_DOMAIN), option(SO_TYPE), 0));
}

struct Transfer {
  OpKind kind;
  int descriptor;
  short events;
  bool waits;
  std::uint64_t site;
  bool is_ours = false;  // done here in any case: what a peer says has nothing to do with it
  InputKind input = InputKind::kDescriptor;  // what it is to a peer outside
  std::size_t size = 0;
  outside::Into into = {};
  msghdr* message = nullptr;  // that is received
  passed::Room room = {};     // in it
  bool cancels = true;
  OfferedAt offered = {};  // who connects, or sends a datagram: where
  bool closes = false;
};

// The call, or what a recording says of it.
template <typename Call>
long CallOutside(const Transfer& transfer, const Call& call) {
  outside::Call asked = {transfer.input, transfer.descriptor, transfer.size, transfer.into};
  std::span<const std::uint8_t> control;
  if (transfer.message != nullptr) asked.into.control = &control;
  long result = 0;
  const bool is_fed = outside::Answered(asked, &result);
  if (!is_fed) {
    result = call();
  } else if (transfer.input == InputKind::kAccept && result >= 0) {
    result = StandIn(transfer.descriptor);
  }
  const int error = errno;
  outside::Note(asked, result);
  if (transfer.message != nullptr && result >= 0) {
    const EngineScope scope;
    std::vector<std::uint8_t> described;
    if (is_fed) {
      passed::Restore(control, transfer.room, transfer.message);
    } else {
      described = passed::Describe(Scheduler::Get(), *transfer.message, transfer.site);
      control = described;
    }
    if (!control.empty()) outside::NoteControl(asked, control);
  }
  errno = error;
  return result;
}

// What the operation finds at its channel, and leaves there: of an end of two, what the other end
// finds. Who finds the end there knows what was done before.
class Notes {
 public:
  Notes(const Object* channel, const Transfer& transfer) : channel_(channel) {
    if (channel->kind != ObjectKind::kIo) {
      const int listener = transfer.offered.listener;
      ends_ = transfer.offered.channel != nullptr ? EndsOf(listener, OpKind::kReceive)
                                                  : EndsOf(transfer.descriptor, transfer.kind);
      before_ = NotedAt(ends_);
    }
  }

  void Add(Scheduler* scheduler, Event* event) const {
    if (channel_->kind == ObjectKind::kIo) return;
    event->order |= before_;
    event->size |= NotedAt(ends_);
    const ThreadId self = scheduler->current()->id;
    const bool receives = event->kind == OpKind::kReceive;
    const bool got = static_cast<std::int64_t>(event->value) >= 0;
    ForEachInList(channel_, [&](const Object* each, std::uint8_t role) {
      if ((role & channel_use::kLooksAt) != 0) return;
      if (!receives) {
        scheduler->races().Ended(self, *each);
      } else if (got) {
        scheduler->races().Passed(self, *each);
      }
    });
  }

 private:
  ChannelEnds ends_;
  std::uint8_t before_ = 0;
  const Object* channel_;
};

inline Object* ChannelsFor(const Transfer& transfer) {
  if (transfer.input == InputKind::kConnect || transfer.offered.channel != nullptr) {
    return Watches::WithSets(transfer.offered.channel, transfer.kind);
  }
  Object* const channel = ChannelOf(transfer.descriptor, transfer.kind);
  if (channel != nullptr) return Watches::WithSets(channel, transfer.kind);
  return transfer.kind == OpKind::kDescriptor ? Watches::Ready(transfer.descriptor) : nullptr;
}

inline Object* ChannelFor(const Transfer& transfer) {
  Object* const channels = ChannelsFor(transfer);
  if (channels != nullptr) return channels;
  Object* const last = Numbers::Last(transfer.descriptor);
  return last == nullptr || last->kind == ObjectKind::kIo ? nullptr : last;
}

// What it asks, and of what.
struct AskedFor {
  Wanted wanted;
  const Transfer* transfer;
};

inline bool IsAskedReady(void* argument) {
  auto& [wanted, transfer] = *static_cast<AskedFor*>(argument);
  const bool offers = transfer->input == InputKind::kConnect && transfer->offered.listener >= 0;
  return offers ? HasRoomFor(transfer->offered.listener) : IsReady(&wanted);
}
inline void Describe(void* argument, IoWait* wait) {
  wait->channel = ChannelFor(*static_cast<AskedFor*>(argument)->transfer);
}

// `call` once, when it would not block.
template <typename Call>
long Do(Scheduler* scheduler, const Transfer& transfer, const Call& call) {
  AskedFor asked = {{transfer.descriptor, transfer.events}, &transfer};
  bool is_outside = outside::IsOutside(transfer.descriptor);
  const Outcome outcome = AwaitIo(scheduler, {.kind = transfer.kind,
                                              .channel = ChannelFor(transfer),
                                              .is_ready = transfer.waits ? IsAskedReady : nullptr,
                                              .argument = &asked,
                                              .describe = Describe,
                                              .is_outside = is_outside,
                                              .cancels = transfer.cancels,
                                              .site = transfer.site});
  if (outcome == kInterrupted) return -1;
  if (scheduler->current()->hears_outside && !is_outside) {  // since when it waited
    is_outside = outside::IsOutside(transfer.descriptor);
  }
  Object* const changed = scheduler->reached();
  const Notes notes(changed, transfer);
  if (is_outside && transfer.kind == OpKind::kReceive && !outside::IsFed()) {
    LookAtSender(scheduler, transfer.descriptor, transfer.site);
  }
  const long result = is_outside && !transfer.is_ours ? CallOutside(transfer, call) : call();
  if (transfer.kind == OpKind::kSend && result > 0) SettleSend(transfer.descriptor);
  Watches::Changed(changed, transfer.kind);
  notes.Add(scheduler, FinishIo(scheduler, result));
  if (transfer.closes) Numbers::NoteClosed(transfer.descriptor, changed);
  if (transfer.kind == OpKind::kDescriptor) DescribeAgain(scheduler);
  return result;
}

// While it lives, calls on the descriptor fail with EAGAIN instead of blocking.
class NonBlocking {
 public:
  explicit NonBlocking(int descriptor)
      : descriptor_(descriptor), flags_(RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0)) {
    RawSyscall(SYS_fcntl, descriptor_, F_SETFL, flags_ | O_NONBLOCK);
  }
  ~NonBlocking() { RawSyscall(SYS_fcntl, descriptor_, F_SETFL, flags_); }
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;

 private:
  int descriptor_;
  long flags_;
};

// Looking at a message is not receiving it.
inline constexpr int kNoReceipt = MSG_PEEK | MSG_OOB | MSG_ERRQUEUE | MSG_TRUNC;

inline std::size_t SizeOf(const outside::Into& into) {
  std::size_t size = 0;
  for (int i = 0; i < into.count; ++i) size += into.parts[i].iov_len;
  return size;
}

template <typename Call>
long Receive(Scheduler* scheduler, int descriptor, bool waits, const outside::Into& into,
             std::uint64_t site, const Call& call, int flags = 0, msghdr* message = nullptr) {
  // Who looks for messages in the run is told which port is meant: the operation itself acts on all
  // descriptors.
  if (waits && (flags & kNoReceipt) == 0) {
    const NamedPort port = PortReadBy(descriptor);
    const bool counts = port.use == PortUse::kDrain || port.use == PortUse::kTakeOne;
    NamePort(scheduler, port, counts ? port.value : SizeOf(into), site);
  }
  Transfer transfer = {OpKind::kReceive, descriptor, POLLIN, waits, site};
  transfer.input = (flags & MSG_PEEK) != 0 ? InputKind::kPeek : InputKind::kReceive;
  transfer.into = into;
  transfer.message = message;
  if (message != nullptr) {
    transfer.room = {message->msg_control == nullptr ? 0 : message->msg_controllen,
                     (flags & MSG_CMSG_CLOEXEC) != 0};
  }
  return Do(scheduler, transfer, call);
}

struct Destination {
  const sockaddr* address = nullptr;
  socklen_t length = 0;
  std::uint64_t amount = 0;  // for a counter
};

// A blocking write goes on until all is written.
template <typename Call>
long Send(Scheduler* scheduler, int descriptor, bool waits, std::size_t size, std::uint64_t site,
          const Call& call, const Destination& to = {}) {
  Transfer transfer = {OpKind::kSend, descriptor, POLLOUT, waits, site};
  transfer.input = InputKind::kSend;
  transfer.size = size;
  transfer.offered = ChannelOfDatagram(descriptor, to.address, to.length);
  if (!waits) return Do(scheduler, transfer, [&] { return call(0, size); });
  const NamedPort port = PortWrittenBy(descriptor, to.address, to.length);
  std::size_t sent = 0;
  do {
    NamePort(scheduler, port, port.use == PortUse::kAdd ? to.amount : size - sent, site);
    transfer.size = size - sent;
    const long result = Do(scheduler, transfer, [&] {
      const NonBlocking scope(descriptor);
      return call(sent, size - sent);
    });
    if (result < 0 && errno == EAGAIN) continue;
    if (result < 0) return sent > 0 ? static_cast<long>(sent) : result;
    sent += static_cast<std::size_t>(result);
  } while (sent < size);
  return static_cast<long>(sent);
}

inline bool Waits(int descriptor, int flags = 0) {
  return (flags & MSG_DONTWAIT) == 0 && !IsNonBlocking(descriptor);
}

inline bool UsesChannel(Scheduler* scheduler, int descriptor, std::uint64_t site) {
  return Numbers::LeadsToChannel(scheduler, descriptor, OpKind::kLook, site);
}

// MSG_WAITALL has a meaning for streams only. The system must never wait for the rest itself.
inline bool WaitsForAll(int descriptor, int flags) {
  if ((flags & MSG_WAITALL) == 0 || (flags & kNoReceipt) != 0) return false;
  int type = 0;
  socklen_t size = sizeof type;
  RawSyscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_TYPE, reinterpret_cast<long>(&type),
             reinterpret_cast<long>(&size));
  return type == SOCK_STREAM;
}

}  // namespace transfer
}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_IO_TRANSFER_H_
