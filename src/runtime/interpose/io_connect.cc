// Connections and the ends of descriptors: accept, connect, close, shutdown.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/descriptors.h"
#include "runtime/interpose/file_lock.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/named_pipe.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signal_fd.h"
#include "runtime/interpose/sockets.h"
#include "runtime/interpose/transfer.h"
#include "runtime/interpose/watches.h"

namespace heddle {
namespace {

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
  Transfer transfer = {OpKind::kReceive, descriptor, POLLIN, !IsNonBlocking(descriptor), site};
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

int Close(int descriptor, const Closing& how) {
  Scheduler* const scheduler = IoScheduler();
  constexpr auto kKind = OpKind::kDescriptor;
  if (scheduler != nullptr && UsesFileLocks(descriptor)) {
    return static_cast<int>(Do(scheduler, ClosesLocked(descriptor, how.site),
                               [&] { return static_cast<long>(real::close(descriptor)); }));
  }
  if (scheduler == nullptr || !Numbers::LeadsToChannel(scheduler, descriptor, kKind, how.site)) {
    return real::close(descriptor);
  }
  Transfer transfer = {kKind, descriptor, 0, false, how.site};
  transfer.is_ours = true;
  transfer.cancels = how.cancels;
  transfer.closes = true;
  transfer.sends_datagrams = SendsDatagrams(descriptor);
  const long mode = RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_ACCMODE;
  NameEnds(scheduler, descriptor, mode != O_WRONLY, mode != O_RDONLY, how.site);
  return static_cast<int>(Do(scheduler, transfer, [&] {
    const int peer = PeerOf(descriptor);
    Inode inode;
    const bool is_last = InodeOf(descriptor, &inode) && !HasCopies(descriptor);
    SetInside(descriptor, false);
    NoteClosed(descriptor);
    LeaveToCopies(descriptor);
    ForgetWatched(descriptor);
    ForgetTimer(descriptor);
    ForgetSignalFd(descriptor);
    ForgetCounter(descriptor);
    ForgetNamedPipe(descriptor);
    outside::ForgetStream(descriptor);
    const int result = real::close(descriptor);
    SettleEnd(peer);
    if (is_last) EndWaiting(inode);
    return result;
  }));
}

}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

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
  const bool waits = !heddle::IsNonBlocking(descriptor);
  heddle::Transfer step = {heddle::OpKind::kSend, descriptor, POLLOUT, false, HEDDLE_CALLER};
  step.input = heddle::InputKind::kConnect;
  step.is_offered = true;
  step.to = address;
  step.to_length = length;
  step.waits = waits && heddle::ListenersAt(address, length).count > 0;
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
      const int begun = real::connect(descriptor, address, length);
      if (begun == 0 || errno != EINPROGRESS) return begun;
      heddle::SettleAnswer(descriptor, address, length);
      return heddle::ConnectionState(descriptor);
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
  step.is_offered = false;
  return static_cast<int>(heddle::Do(
      scheduler, step, [&] { return static_cast<long>(heddle::ConnectionState(descriptor)); }));
}

// --- descriptors themselves

HEDDLE_EXPORT int close(int descriptor) {
  return heddle::Close(descriptor, {.cancels = true, .site = HEDDLE_CALLER});
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
