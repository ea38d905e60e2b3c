// read, write and their relatives on pipes, sockets and the like. On files and terminals they pass
// through.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/entropy.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/looks.h"
#include "runtime/interpose/named_pipe.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/passed.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/sockets.h"
#include "runtime/interpose/watches.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

struct Wanted {
  int descriptor;
  short events;
};

bool IsReady(void* argument) {
  const auto& wanted = *static_cast<Wanted*>(argument);
  if (outside::IsFed() && outside::IsOutside(wanted.descriptor)) {
    return outside::EventsOf(wanted.descriptor, wanted.events) != 0;
  }
  return ReadyAt(wanted.descriptor, wanted.events) != 0;
}

// For a connection that only a recording knows: a socket of the listener's kind.
int StandIn(int listener) {
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

Object* ChannelsFor(const Transfer& transfer) {
  if (transfer.input == InputKind::kConnect || transfer.offered.channel != nullptr) {
    return Watches::WithSets(transfer.offered.channel, transfer.kind);
  }
  Object* const channel = ChannelOf(transfer.descriptor, transfer.kind);
  if (channel != nullptr) return Watches::WithSets(channel, transfer.kind);
  return transfer.kind == OpKind::kDescriptor ? Watches::Ready(transfer.descriptor) : nullptr;
}

Object* ChannelFor(const Transfer& transfer) {
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

bool IsAskedReady(void* argument) {
  auto& [wanted, transfer] = *static_cast<AskedFor*>(argument);
  const bool offers = transfer->input == InputKind::kConnect && transfer->offered.listener >= 0;
  return offers ? HasRoomFor(transfer->offered.listener) : IsReady(&wanted);
}
void Describe(void* argument, IoWait* wait) {
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
constexpr int kNoReceipt = MSG_PEEK | MSG_OOB | MSG_ERRQUEUE | MSG_TRUNC;

std::size_t SizeOf(const outside::Into& into) {
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
  std::uint64_t amount = 0;   // for a counter
  bool in_one_piece = false;  // what does not fit is for the caller to send again
};

// A blocking write goes on until all is written, unless it is `in_one_piece`.
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
    if (to.in_one_piece) break;
  } while (sent < size);
  return static_cast<long>(sent);
}

int Accepted(int listener, int accepted) {
  if (accepted < 0) return accepted;
  NoteAccepted(listener, accepted);
  NoteTaken(listener, accepted);
  Numbers::NoteOpened(accepted);
  return accepted;
}

bool Waits(int descriptor, int flags = 0) {
  return (flags & MSG_DONTWAIT) == 0 && !IsNonBlocking(descriptor);
}

bool UsesChannel(Scheduler* scheduler, int descriptor, std::uint64_t site) {
  return Numbers::LeadsToChannel(scheduler, descriptor, OpKind::kLook, site);
}

template <typename Call>
int Accept(Scheduler* scheduler, int descriptor, const outside::Into& into, std::uint64_t site,
           const Call& call) {
  Transfer transfer = {OpKind::kReceive, descriptor, POLLIN, Waits(descriptor), site};
  transfer.input = InputKind::kAccept;
  transfer.into = into;
  if (transfer.waits) NamePort(scheduler, PortTaken(descriptor), 1, site);
  if (outside::IsOutside(descriptor)) {
    return Accepted(descriptor, static_cast<int>(Do(scheduler, transfer, call)));
  }
  return static_cast<int>(Do(scheduler, transfer, [&] {
    return static_cast<long>(Accepted(descriptor, static_cast<int>(call())));
  }));
}

// What a blocking connect that was begun has come to; -1 with EINPROGRESS: nothing yet.
int ConnectionState(int descriptor) {
  pollfd one = {descriptor, POLLOUT, 0};
  if (RawSyscall(SYS_poll, reinterpret_cast<long>(&one), 1, 0) <= 0) {
    errno = EINPROGRESS;
    return -1;
  }
  int error = 0;
  socklen_t size = sizeof error;
  RawSyscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_ERROR, reinterpret_cast<long>(&error),
             reinterpret_cast<long>(&size));
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT ssize_t read(int descriptor, void* buffer, std::size_t size) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::read(descriptor, buffer, size);
  if (!heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) {
    if (!heddle::IsEntropyDevice(descriptor)) return real::read(descriptor, buffer, size);
    heddle::FillWithEntropy(scheduler, buffer, size);
    return static_cast<ssize_t>(size);
  }
  const iovec into = {buffer, size};
  return heddle::Receive(scheduler, descriptor, heddle::Waits(descriptor), {&into, 1},
                         HEDDLE_CALLER, [&] { return real::read(descriptor, buffer, size); });
}

HEDDLE_EXPORT ssize_t readv(int descriptor, const iovec* parts, int count) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr || !heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) {
    return real::readv(descriptor, parts, count);
  }
  return heddle::Receive(scheduler, descriptor, heddle::Waits(descriptor), {parts, count},
                         HEDDLE_CALLER, [&] { return real::readv(descriptor, parts, count); });
}

HEDDLE_EXPORT ssize_t write(int descriptor, const void* buffer, std::size_t size) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr || !heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) {
    return real::write(descriptor, buffer, size);
  }
  heddle::Destination to;
  if (size == sizeof to.amount) std::memcpy(&to.amount, buffer, sizeof to.amount);
  return heddle::Send(
      scheduler, descriptor, heddle::Waits(descriptor), size, HEDDLE_CALLER,
      [&](std::size_t from, std::size_t rest) {
        return real::write(descriptor, static_cast<const char*>(buffer) + from, rest);
      },
      to);
}

HEDDLE_EXPORT ssize_t writev(int descriptor, const iovec* parts, int count) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr || !heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) {
    return real::writev(descriptor, parts, count);
  }
  return heddle::Send(
      scheduler, descriptor, heddle::Waits(descriptor), heddle::SizeOf({parts, count}),
      HEDDLE_CALLER,
      [&](std::size_t, std::size_t) { return real::writev(descriptor, parts, count); },
      {.in_one_piece = true});
}

HEDDLE_EXPORT ssize_t recv(int descriptor, void* buffer, std::size_t size, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::recv(descriptor, buffer, size, flags);
  std::size_t got = 0;
  for (;;) {
    const iovec rest = {static_cast<char*>(buffer) + got, size - got};
    const long result = heddle::Receive(
        scheduler, descriptor, heddle::Waits(descriptor, flags), {&rest, 1}, HEDDLE_CALLER,
        [&] { return real::recv(descriptor, rest.iov_base, rest.iov_len, flags & ~MSG_WAITALL); },
        flags);
    if (result <= 0) return got > 0 ? static_cast<long>(got) : result;
    got += static_cast<std::size_t>(result);
    if (got == size || (flags & MSG_WAITALL) == 0) return static_cast<long>(got);
  }
}

HEDDLE_EXPORT ssize_t recvfrom(int descriptor, void* __restrict buffer, std::size_t size, int flags,
                               sockaddr* __restrict from, socklen_t* __restrict length) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::recvfrom(descriptor, buffer, size, flags, from, length);
  const iovec part = {buffer, size};
  return heddle::Receive(
      scheduler, descriptor, heddle::Waits(descriptor, flags),
      {&part, 1, from, length, length == nullptr ? 0 : *length}, HEDDLE_CALLER,
      [&] { return real::recvfrom(descriptor, buffer, size, flags, from, length); }, flags);
}

HEDDLE_EXPORT ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::recvmsg(descriptor, message, flags);
  const heddle::outside::Into into = {message->msg_iov, static_cast<int>(message->msg_iovlen),
                                      message->msg_name, &message->msg_namelen,
                                      message->msg_namelen};
  return heddle::Receive(
      scheduler, descriptor, heddle::Waits(descriptor, flags), into, HEDDLE_CALLER,
      [&] {
        const ssize_t received = real::recvmsg(descriptor, message, flags);
        if (received >= 0 && !heddle::outside::IsOutside(descriptor)) {
          heddle::passed::NoteReceived(*message);
        }
        return received;
      },
      flags, message);
}

HEDDLE_EXPORT ssize_t send(int descriptor, const void* buffer, std::size_t size, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::send(descriptor, buffer, size, flags);
  return heddle::Send(scheduler, descriptor, heddle::Waits(descriptor, flags), size, HEDDLE_CALLER,
                      [&](std::size_t from, std::size_t rest) {
                        return real::send(descriptor, static_cast<const char*>(buffer) + from, rest,
                                          flags);
                      });
}

HEDDLE_EXPORT ssize_t sendto(int descriptor, const void* buffer, std::size_t size, int flags,
                             const sockaddr* to, socklen_t length) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::sendto(descriptor, buffer, size, flags, to, length);
  return heddle::Send(scheduler, descriptor, heddle::Waits(descriptor, flags), size, HEDDLE_CALLER,
                      [&](std::size_t from, std::size_t rest) {
                        const ssize_t sent =
                            real::sendto(descriptor, static_cast<const char*>(buffer) + from, rest,
                                         flags, to, length);
                        if (sent >= 0) heddle::NoteSent(descriptor);
                        return sent;
                      },
                      {to, length});
}

HEDDLE_EXPORT ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::sendmsg(descriptor, message, flags);
  const ssize_t sent = heddle::Send(
      scheduler, descriptor, heddle::Waits(descriptor, flags),
      heddle::SizeOf({message->msg_iov, static_cast<int>(message->msg_iovlen)}), HEDDLE_CALLER,
      [&](std::size_t, std::size_t) {
        const ssize_t done = real::sendmsg(descriptor, message, flags);
        if (done >= 0) heddle::NoteSent(descriptor);
        return done;
      },
      {.address = static_cast<const sockaddr*>(message->msg_name),
       .length = message->msg_namelen,
       .in_one_piece = true});
  if (sent >= 0 && heddle::outside::IsOutside(descriptor)) heddle::passed::NoteGivenAway(*message);
  return sent;
}

HEDDLE_EXPORT int accept(int descriptor, sockaddr* __restrict address,
                         socklen_t* __restrict length) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::accept(descriptor, address, length);
  return heddle::Accept(scheduler, descriptor, heddle::outside::IntoAddress(address, length),
                        HEDDLE_CALLER, [&] { return real::accept(descriptor, address, length); });
}

HEDDLE_EXPORT int accept4(int descriptor, sockaddr* __restrict address,
                          socklen_t* __restrict length, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::accept4(descriptor, address, length, flags);
  const int accepted = heddle::Accept(
      scheduler, descriptor, heddle::outside::IntoAddress(address, length), HEDDLE_CALLER,
      [&] { return real::accept4(descriptor, address, length, flags); });
  if (accepted >= 0 && (flags & SOCK_NONBLOCK) != 0) {  // a stand-in too
    heddle::RawSyscall(SYS_fcntl, accepted, F_SETFL, O_RDWR | O_NONBLOCK);
  }
  return accepted;
}

HEDDLE_EXPORT int connect(int descriptor, const sockaddr* address, socklen_t length) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::connect(descriptor, address, length);
  const bool waits = heddle::Waits(descriptor);
  heddle::Transfer step = {heddle::OpKind::kSend, descriptor, POLLOUT, false, HEDDLE_CALLER};
  step.input = heddle::InputKind::kConnect;
  step.offered = heddle::ChannelOffered(descriptor, address, length);
  step.waits = waits && step.offered.listener >= 0;
  if (waits) {
    const heddle::NamedPort port = heddle::PortOffered(descriptor, address, length);
    heddle::NamePort(scheduler, port, port.use == heddle::PortUse::kOffer ? 1 : 0, HEDDLE_CALLER);
  }
  // Whether it is to the program itself shows when it is its turn.
  step.is_ours = true;
  const long result = heddle::Do(scheduler, step, [&]() -> long {
    const bool is_own = heddle::NoteConnecting(descriptor, address, length);
    const auto connect_now = [&] {
      if (!waits) return real::connect(descriptor, address, length);
      const heddle::NonBlocking scope(descriptor);
      return real::connect(descriptor, address, length);
    };
    if (!is_own && heddle::outside::IsOutside(descriptor)) {
      return heddle::CallOutside(step, connect_now);
    }
    int connected = connect_now();
    const int error = errno;
    if (is_own && (connected == 0 || error == EINPROGRESS)) {
      heddle::SettleConnection(descriptor);
      if (waits && connected != 0) {
        connected = heddle::ConnectionState(descriptor);
        if (connected != 0) return connected;
      }
      if (connected == 0) {
        heddle::NoteOffered(descriptor, address, length);
        scheduler->ReachedInstead(heddle::AsConnected(descriptor, scheduler->reached()));
      }
    }
    errno = error;
    return connected;
  });
  if (!waits || result == 0 || errno != EINPROGRESS) return static_cast<int>(result);
  step.waits = true;
  step.is_ours = false;
  step.offered = {};
  return static_cast<int>(heddle::Do(
      scheduler, step, [&] { return static_cast<long>(heddle::ConnectionState(descriptor)); }));
}

// --- descriptors themselves

HEDDLE_EXPORT int close(int descriptor) {
  Scheduler* const scheduler = heddle::IoScheduler();
  constexpr auto kKind = heddle::OpKind::kDescriptor;
  if (scheduler == nullptr ||
      !heddle::Numbers::LeadsToChannel(scheduler, descriptor, kKind, HEDDLE_CALLER)) {
    return real::close(descriptor);
  }
  heddle::Transfer transfer = {kKind, descriptor, 0, false, HEDDLE_CALLER};
  transfer.is_ours = true;
  transfer.closes = true;
  const long mode = heddle::RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_ACCMODE;
  heddle::NameEnds(scheduler, descriptor, mode != O_WRONLY, mode != O_RDONLY, HEDDLE_CALLER);
  return static_cast<int>(heddle::Do(scheduler, transfer, [&] {
    const int peer = heddle::PeerOf(descriptor);
    heddle::SetInside(descriptor, false);
    heddle::NoteClosed(descriptor);
    heddle::LeaveToCopies(descriptor);
    heddle::ForgetWatched(descriptor);
    heddle::ForgetTimer(descriptor);
    heddle::ForgetCounter(descriptor);
    heddle::ForgetNamedPipe(descriptor);
    heddle::outside::ForgetStream(descriptor);
    const int result = real::close(descriptor);
    heddle::SettleEnd(peer);
    return result;
  }));
}

HEDDLE_EXPORT int shutdown(int descriptor, int how) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::shutdown(descriptor, how);
  heddle::Transfer transfer = {heddle::OpKind::kDescriptor, descriptor, 0, false, HEDDLE_CALLER};
  transfer.cancels = false;
  heddle::NameEnds(scheduler, descriptor, how != SHUT_WR, how != SHUT_RD, HEDDLE_CALLER);
  return static_cast<int>(heddle::Do(scheduler, transfer, [&] {
    const int result = real::shutdown(descriptor, how);
    if (how != SHUT_RD) heddle::SettleEnd(heddle::PeerOf(descriptor));
    return result;
  }));
}
