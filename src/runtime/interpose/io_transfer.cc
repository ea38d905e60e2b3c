// read, write and their relatives on pipes, sockets and the like. On files and terminals they pass
// through.
#include "runtime/interpose/io_transfer.h"

#include <unistd.h>

#include <cstring>

#include "runtime/interpose/entropy.h"
#include "runtime/interpose/named_pipe.h"
#include "runtime/interpose/real.h"

namespace heddle {
namespace {

using transfer::CallOutside;
using transfer::Destination;
using transfer::Do;
using transfer::NonBlocking;
using transfer::Receive;
using transfer::Send;
using transfer::Transfer;
using transfer::UsesChannel;
using transfer::Waits;
using transfer::WaitsForAll;

struct Sender {
  sockaddr* address = nullptr;
  socklen_t* length = nullptr;
};

long ReceiveFrom(Scheduler* scheduler, int descriptor, const iovec& into, int flags,
                 const Sender& from, std::uint64_t site) {
  const bool all = WaitsForAll(descriptor, flags);
  const int once = flags & ~MSG_WAITALL;
  const socklen_t room = from.length == nullptr ? 0 : *from.length;
  std::size_t got = 0;
  for (;;) {
    const iovec rest = {static_cast<char*>(into.iov_base) + got, into.iov_len - got};
    if (from.length != nullptr) *from.length = room;
    const long result = Receive(
        scheduler, descriptor, Waits(descriptor, flags),
        {&rest, 1, from.address, from.length, room}, site,
        [&] {
          return real::recvfrom(descriptor, rest.iov_base, rest.iov_len, once, from.address,
                                from.length);
        },
        flags);
    if (result <= 0) return got > 0 ? static_cast<long>(got) : result;
    got += static_cast<std::size_t>(result);
    if (got >= into.iov_len || !all) return static_cast<long>(got);
  }
}

int Accepted(int listener, int accepted) {
  if (accepted < 0) return accepted;
  NoteAccepted(listener, accepted);
  NoteTaken(listener, accepted);
  Numbers::NoteOpened(accepted);
  return accepted;
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

HEDDLE_EXPORT ssize_t recv(int descriptor, void* buffer, std::size_t size, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::recv(descriptor, buffer, size, flags);
  return heddle::ReceiveFrom(scheduler, descriptor, {buffer, size}, flags, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT ssize_t recvfrom(int descriptor, void* __restrict buffer, std::size_t size, int flags,
                               sockaddr* __restrict from, socklen_t* __restrict length) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::recvfrom(descriptor, buffer, size, flags, from, length);
  return heddle::ReceiveFrom(scheduler, descriptor, {buffer, size}, flags, {from, length},
                             HEDDLE_CALLER);
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
