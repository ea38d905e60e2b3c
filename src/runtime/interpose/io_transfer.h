// Calls that move bytes through a descriptor: what read, write and their relatives share
// (io_transfer.cc, io_messages.cc).
#ifndef HEDDLE_RUNTIME_INTERPOSE_IO_TRANSFER_H_
#define HEDDLE_RUNTIME_INTERPOSE_IO_TRANSFER_H_

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/passed.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/sockets.h"
#include "runtime/interpose/transfer.h"

namespace heddle {
namespace transfer {

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
  transfer.is_offered = true;
  transfer.to = to.address;
  transfer.to_length = to.length;
  if (!waits) return Do(scheduler, transfer, [&] { return call(0, size); });
  const NamedPort port = PortWrittenBy(descriptor, to.address, to.length);
  transfer.deadline = SocketDeadline(scheduler, descriptor, OpKind::kSend, transfer.site);
  bool is_late = false;
  transfer.is_late = &is_late;
  std::size_t sent = 0;
  do {
    NamePort(scheduler, port, port.use == PortUse::kAdd ? to.amount : size - sent, site);
    transfer.size = size - sent;
    const long result = Do(scheduler, transfer, [&] {
      const NonBlocking scope(descriptor);
      return call(sent, size - sent);
    });
    if (result < 0 && errno == EAGAIN && !is_late) continue;
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
