// Bytes that go from one descriptor to another inside the system: splice, tee, vmsplice, sendfile.
//
// Where one of the two is a pipe or a socket, it is a transfer there like any other
// (interpose/transfer.h). Where both are, the call waits for both, and acts on all descriptors.
#include <fcntl.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/io_transfer.h"
#include "runtime/interpose/next.h"

namespace heddle {
namespace {

using transfer::UsesChannel;

// What was moved from or to a peer outside nobody has seen.
void NamePeers(Scheduler* scheduler, const char* name, int from, int to, std::uint64_t site) {
  const auto is_peer = [](int one) {
    return one >= 0 && IsChannel(one) && outside::IsOutside(one);
  };
  if (!is_peer(from) && !is_peer(to)) return;
  scheduler->Uncontrolled(
      name, "bytes that it moves from or to somebody outside are not recorded: a replay may differ",
      site);
}

// Again, should somebody outside have been faster.
template <typename Step>
long UntilItMoves(bool waits, const Step& step) {
  for (;;) {
    const long result = step();
    if (result >= 0 || errno != EAGAIN || !waits) return result;
  }
}

Transfer TransferAt(OpKind kind, int channel, bool waits, std::uint64_t site) {
  const short events = kind == OpKind::kReceive ? POLLIN : POLLOUT;
  Transfer transfer = {kind, channel, events, waits, site};
  transfer.is_ours = true;
  return transfer;
}

// From or to a file: the other end is all there is to wait for.
template <typename Call>
long MoveAt(Scheduler* scheduler, const Transfer& transfer, const Call& call) {
  const int channel = transfer.descriptor;
  const bool receives = transfer.kind == OpKind::kReceive;
  const NamedPort port = receives ? PortReadBy(channel) : PortWrittenBy(channel);
  return UntilItMoves(transfer.waits, [&] {
    if (transfer.waits) NamePort(scheduler, port, 0, transfer.site);
    return Do(scheduler, transfer, call);
  });
}

struct Ends {
  int from;
  int to;
};

bool AreReady(void* argument) {
  const auto& ends = *static_cast<const Ends*>(argument);
  return ReadyAt(ends.from, POLLIN) != 0 && ReadyAt(ends.to, POLLOUT) != 0;
}

// What one end has told is passed on to whom the other one tells.
void OrderThreads(Scheduler* scheduler, const Ends& ends) {
  const ThreadId self = scheduler->current()->id;
  if (const Object* const from = ChannelOf(ends.from, OpKind::kReceive); from != nullptr) {
    scheduler->races().Passed(self, *from);
  }
  if (const Object* const to = ChannelOf(ends.to, OpKind::kSend); to != nullptr) {
    scheduler->races().Ended(self, *to);
  }
  scheduler->races().Ended(self, *IoObject());
}

template <typename Call>
long MoveBetween(Scheduler* scheduler, Ends ends, bool waits, std::uint64_t site,
                 const Call& call) {
  const bool is_outside = outside::IsOutside(ends.from) || outside::IsOutside(ends.to);
  return UntilItMoves(waits, [&]() -> long {
    const Outcome outcome = AwaitIo(scheduler, {.kind = OpKind::kReceive,
                                                .is_ready = waits ? AreReady : nullptr,
                                                .argument = &ends,
                                                .is_outside = is_outside,
                                                .site = site});
    if (outcome == kInterrupted) return -1;
    const long result = call();
    const int error = errno;
    for (const int end : {ends.from, ends.to}) {
      const OpKind kind = end == ends.from ? OpKind::kReceive : OpKind::kSend;
      Watches::Changed(ChannelOf(end, kind), kind);
    }
    if (result > 0) SettleSend(ends.to);
    FinishIo(scheduler, result);
    if (result >= 0) OrderThreads(scheduler, ends);
    errno = error;
    return result;
  });
}

// splice, tee and sendfile, by `call`, which does not wait.
template <typename Call>
long Move(Scheduler* scheduler, const char* name, Ends ends, bool waits, std::uint64_t site,
          const Call& call) {
  const bool reads = UsesChannel(scheduler, ends.from, site);
  const bool writes = UsesChannel(scheduler, ends.to, site);
  if (!reads && !writes) return call();
  NamePeers(scheduler, name, reads ? ends.from : -1, writes ? ends.to : -1, site);
  if (reads && writes) return MoveBetween(scheduler, ends, waits, site, call);
  const OpKind kind = reads ? OpKind::kReceive : OpKind::kSend;
  return MoveAt(scheduler, TransferAt(kind, reads ? ends.from : ends.to, waits, site), call);
}

bool Waits(const Ends& ends, unsigned flags) {
  return (flags & SPLICE_F_NONBLOCK) == 0 && !IsNonBlocking(ends.from) && !IsNonBlocking(ends.to);
}

// Sockets heed no SPLICE_F_NONBLOCK.
template <typename Call>
long AtOnce(const Ends& ends, const Call& call) {
  const NonBlocking to(ends.to);
  return call();
}

bool IsPipe(int descriptor) {
  struct stat status = {};
  return RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 &&
         S_ISFIFO(status.st_mode);
}

// All that the file has, as far as it is asked for: Linux goes on where it sends to a socket, and
// returns what a pipe has taken.
ssize_t SendFile(Scheduler* scheduler, Ends ends, off_t* offset, std::size_t size,
                 std::uint64_t site) {
  if (!UsesChannel(scheduler, ends.to, site)) {
    return HEDDLE_NEXT(sendfile)(ends.to, ends.from, offset, size);
  }
  NamePeers(scheduler, "sendfile", -1, ends.to, site);
  Transfer transfer = TransferAt(OpKind::kSend, ends.to, !IsNonBlocking(ends.to), site);
  transfer.cancels = false;
  std::size_t sent = 0;
  do {
    const long result = MoveAt(scheduler, transfer, [&]() -> long {
      return AtOnce(ends,
                    [&] { return HEDDLE_NEXT(sendfile)(ends.to, ends.from, offset, size - sent); });
    });
    if (result <= 0) return sent > 0 ? static_cast<ssize_t>(sent) : result;
    sent += static_cast<std::size_t>(result);
  } while (transfer.waits && sent < size && !IsPipe(ends.to));
  return static_cast<ssize_t>(sent);
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;

HEDDLE_EXPORT ssize_t splice(int from, off64_t* from_offset, int to, off64_t* to_offset,
                             std::size_t size, unsigned flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  const auto call = [&](unsigned how) {
    return HEDDLE_NEXT(splice)(from, from_offset, to, to_offset, size, how);
  };
  if (scheduler == nullptr) return call(flags);
  const heddle::Ends ends = {from, to};
  return heddle::Move(
      scheduler, "splice", ends, heddle::Waits(ends, flags), HEDDLE_CALLER, [&]() -> long {
        return heddle::AtOnce(ends, [&] { return call(flags | SPLICE_F_NONBLOCK); });
      });
}

HEDDLE_EXPORT ssize_t tee(int from, int to, std::size_t size, unsigned flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(tee)(from, to, size, flags);
  const heddle::Ends ends = {from, to};
  return heddle::Move(
      scheduler, "tee", ends, heddle::Waits(ends, flags), HEDDLE_CALLER,
      [&]() -> long { return HEDDLE_NEXT(tee)(from, to, size, flags | SPLICE_F_NONBLOCK); });
}

// The pipe may keep the program's pages themselves: it is told where they are, not of a copy.
HEDDLE_EXPORT ssize_t vmsplice(int pipe, const iovec* parts, std::size_t count, unsigned flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(vmsplice)(pipe, parts, count, flags);
  const bool writes = (fcntl(pipe, F_GETFL) & O_ACCMODE) != O_RDONLY;
  const bool waits = (flags & SPLICE_F_NONBLOCK) == 0 && !heddle::IsNonBlocking(pipe);
  const auto call = [&](const iovec* at) -> long {
    return HEDDLE_NEXT(vmsplice)(pipe, at, count, flags | SPLICE_F_NONBLOCK);
  };
  if (!heddle::UsesChannel(scheduler, pipe, HEDDLE_CALLER)) return call(parts);
  const auto kind = writes ? heddle::OpKind::kSend : heddle::OpKind::kReceive;
  const heddle::Transfer transfer = heddle::TransferAt(kind, pipe, waits, HEDDLE_CALLER);
  heddle::NamePeers(scheduler, "vmsplice", writes ? -1 : pipe, writes ? pipe : -1, HEDDLE_CALLER);
  if (writes) {
    const heddle::Outgoing outgoing(parts, static_cast<int>(count), HEDDLE_CALLER);
    return heddle::MoveAt(scheduler, transfer, [&] { return call(parts); });
  }
  heddle::Incoming incoming(parts, static_cast<int>(count), HEDDLE_CALLER);
  return incoming.Arrived(
      heddle::MoveAt(scheduler, transfer, [&] { return call(incoming.parts()); }));
}

HEDDLE_EXPORT ssize_t sendfile(int to, int from, off_t* offset, std::size_t size) noexcept {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(sendfile)(to, from, offset, size);
  return heddle::SendFile(scheduler, {from, to}, offset, size, HEDDLE_CALLER);
}

HEDDLE_EXPORT ssize_t sendfile64(int to, int from, off64_t* offset, std::size_t size) noexcept {
  return sendfile(to, from, offset, size);
}
