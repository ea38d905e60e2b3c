// Calls that move several buffers or messages at once: readv, writev, recvmsg, sendmsg and those
// that do so many times.
#include <algorithm>

#include "runtime/interpose/buffers.h"
#include "runtime/interpose/io_several.h"
#include "runtime/interpose/io_transfer.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signal_fd.h"
#include "runtime/interpose/stream.h"

namespace heddle {
namespace {

using transfer::Receive;
using transfer::Send;
using transfer::SizeOf;
using transfer::UsesChannel;
using transfer::Waits;
using transfer::WaitsForAll;

// A list of buffers without its first bytes. Only who was stopped half-way has to copy it.
class Rest {
 public:
  Rest(const iovec* parts, std::size_t count, std::size_t from) : parts_(parts), count_(count) {
    if (from == 0) return;
    const EngineScope scope;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t done = std::min(from, parts[i].iov_len);
      from -= done;
      if (done == parts[i].iov_len) continue;
      copies_.push_back({static_cast<char*>(parts[i].iov_base) + done, parts[i].iov_len - done});
    }
    parts_ = copies_.data();
    count_ = copies_.size();
  }
  ~Rest() {
    const EngineScope scope;
    std::vector<iovec>().swap(copies_);
  }
  Rest(const Rest&) = delete;
  Rest& operator=(const Rest&) = delete;

  // The system takes them as they are, whoever may change them.
  iovec* parts() const { return const_cast<iovec*>(parts_); }
  int count() const { return static_cast<int>(count_); }

 private:
  const iovec* parts_;
  std::size_t count_;
  std::vector<iovec> copies_;
};

template <typename Call>
long SendParts(Scheduler* scheduler, int descriptor, bool waits, const iovec* parts, int count,
               std::uint64_t site, const Call& call) {
  return Send(scheduler, descriptor, waits, SizeOf({parts, count}), site,
              [&](std::size_t from, std::size_t) {
                const Rest rest(parts, static_cast<std::size_t>(count), from);
                return static_cast<long>(call(rest.parts(), rest.count()));
              });
}

long ReceiveParts(Scheduler* scheduler, int descriptor, msghdr* message, int flags,
                  std::uint64_t site) {
  const bool all = WaitsForAll(descriptor, flags);
  const int once = flags & ~MSG_WAITALL;
  const auto count = static_cast<int>(message->msg_iovlen);
  const std::size_t size = SizeOf({message->msg_iov, count});
  const outside::Into into = {message->msg_iov, count, message->msg_name, &message->msg_namelen,
                              message->msg_namelen};
  const long first = Receive(
      scheduler, descriptor, Waits(descriptor, flags), into, site,
      [&] {
        const ssize_t received = real::recvmsg(descriptor, message, once);
        if (received >= 0 && !outside::IsOutside(descriptor)) passed::NoteReceived(*message);
        return received;
      },
      flags, message);
  if (first <= 0 || !all) return first;
  auto got = static_cast<std::size_t>(first);
  while (got < size) {
    const Rest rest(message->msg_iov, message->msg_iovlen, got);
    const long result = Receive(
        scheduler, descriptor, Waits(descriptor, flags), {rest.parts(), rest.count()}, site,
        [&] { return real::readv(descriptor, rest.parts(), rest.count()); }, flags);
    if (result <= 0) break;
    got += static_cast<std::size_t>(result);
  }
  return static_cast<long>(got);
}

long ReceiveMessage(Scheduler* scheduler, int descriptor, msghdr* message, int flags,
                    std::uint64_t site) {
  Incoming incoming(message->msg_iov, static_cast<int>(message->msg_iovlen), site);
  msghdr received = *message;
  received.msg_iov = const_cast<iovec*>(incoming.parts());
  const long result = ReceiveParts(scheduler, descriptor, &received, flags, site);
  received.msg_iov = message->msg_iov;
  *message = received;
  return incoming.Arrived(result);
}

long SendMessage(Scheduler* scheduler, int descriptor, msghdr message, int flags,
                 std::uint64_t site) {
  const Outgoing outgoing(message.msg_iov, static_cast<int>(message.msg_iovlen), site);
  message.msg_iov = const_cast<iovec*>(outgoing.parts());
  const long sent = Send(
      scheduler, descriptor, Waits(descriptor, flags),
      SizeOf({message.msg_iov, static_cast<int>(message.msg_iovlen)}), site,
      [&](std::size_t from, std::size_t) {
        const Rest rest(message.msg_iov, message.msg_iovlen, from);
        msghdr part = message;
        part.msg_iov = rest.parts();
        part.msg_iovlen = static_cast<std::size_t>(rest.count());
        if (from > 0) part.msg_controllen = 0;  // it went with the first bytes
        const ssize_t done = real::sendmsg(descriptor, &part, flags);
        if (done >= 0) NoteSent(descriptor);
        return static_cast<long>(done);
      },
      {.address = static_cast<const sockaddr*>(message.msg_name), .length = message.msg_namelen});
  if (sent >= 0 && outside::IsOutside(descriptor)) passed::NoteGivenAway(message);
  return sent;
}

// Of several, what went well counts.
int Several(unsigned done, long last) {
  return done > 0 || last >= 0 ? static_cast<int>(done) : -1;
}

// At the file's position, which channels do not have.
constexpr off64_t kHere = -1;

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT ssize_t readv(int descriptor, const iovec* parts, int count) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::readv(descriptor, parts, count);
  // Signals are taken one by one into what there is room for, as Linux does it for each part.
  if (heddle::IsSignalFd(descriptor) && count > 0) {
    return read(descriptor, parts[0].iov_base, parts[0].iov_len);
  }
  heddle::Incoming incoming(parts, count, HEDDLE_CALLER);
  const auto call = [&] { return real::readv(descriptor, incoming.parts(), count); };
  if (!heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) return incoming.Arrived(call());
  return incoming.Arrived(heddle::Receive(scheduler, descriptor, heddle::Waits(descriptor),
                                          {incoming.parts(), count}, HEDDLE_CALLER, call));
}

HEDDLE_EXPORT ssize_t writev(int descriptor, const iovec* parts, int count) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::writev(descriptor, parts, count);
  const heddle::Outgoing outgoing(parts, count, HEDDLE_CALLER);
  if (!heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) {
    const heddle::OutputScope output(descriptor, HEDDLE_CALLER);
    return real::writev(descriptor, outgoing.parts(), count);
  }
  return heddle::SendParts(
      scheduler, descriptor, heddle::Waits(descriptor), outgoing.parts(), count, HEDDLE_CALLER,
      [&](const iovec* rest, int left) { return real::writev(descriptor, rest, left); });
}

HEDDLE_EXPORT ssize_t preadv2(int descriptor, const iovec* parts, int count, off64_t offset,
                              int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(preadv2)(descriptor, parts, count, offset, flags);
  heddle::Incoming incoming(parts, count, HEDDLE_CALLER);
  const auto call = [&] {
    return HEDDLE_NEXT(preadv2)(descriptor, incoming.parts(), count, offset, flags);
  };
  if (offset != heddle::kHere || !heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) {
    return incoming.Arrived(call());
  }
  const bool waits = (flags & RWF_NOWAIT) == 0 && heddle::Waits(descriptor);
  return incoming.Arrived(heddle::Receive(scheduler, descriptor, waits, {incoming.parts(), count},
                                          HEDDLE_CALLER, call));
}

HEDDLE_EXPORT ssize_t pwritev2(int descriptor, const iovec* parts, int count, off64_t offset,
                               int flags) {
  const auto call = [&](const iovec* rest, int left) {
    return HEDDLE_NEXT(pwritev2)(descriptor, rest, left, offset, flags);
  };
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return call(parts, count);
  const heddle::Outgoing outgoing(parts, count, HEDDLE_CALLER);
  if (offset != heddle::kHere || !heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) {
    return call(outgoing.parts(), count);
  }
  const bool waits = (flags & RWF_NOWAIT) == 0 && heddle::Waits(descriptor);
  return heddle::SendParts(scheduler, descriptor, waits, outgoing.parts(), count, HEDDLE_CALLER,
                           call);
}

// Programs that are compiled for large files call these.
HEDDLE_EXPORT ssize_t preadv64v2(int descriptor, const iovec* parts, int count, off64_t offset,
                                 int flags) {
  return preadv2(descriptor, parts, count, offset, flags);
}
HEDDLE_EXPORT ssize_t pwritev64v2(int descriptor, const iovec* parts, int count, off64_t offset,
                                  int flags) {
  return pwritev2(descriptor, parts, count, offset, flags);
}

HEDDLE_EXPORT ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::recvmsg(descriptor, message, flags);
  return heddle::ReceiveMessage(scheduler, descriptor, message, flags, HEDDLE_CALLER);
}

HEDDLE_EXPORT ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::sendmsg(descriptor, message, flags);
  return heddle::SendMessage(scheduler, descriptor, *message, flags, HEDDLE_CALLER);
}

// Whether the time is up is asked behind each message, as the system does it.
HEDDLE_EXPORT int recvmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags,
                           timespec* time) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(recvmmsg)(descriptor, messages, count, flags, time);
  const heddle::Deadline deadline = heddle::After(scheduler, time, HEDDLE_CALLER);
  unsigned done = 0;
  long last = 0;
  for (; done < count; ++done) {
    const bool has_one = (flags & MSG_WAITFORONE) != 0 && done > 0;
    const int now = (flags & ~MSG_WAITFORONE) | (has_one ? MSG_DONTWAIT : 0);
    last =
        heddle::ReceiveMessage(scheduler, descriptor, &messages[done].msg_hdr, now, HEDDLE_CALLER);
    if (last < 0) break;
    messages[done].msg_len = static_cast<unsigned>(last);
    if (deadline.is_set && scheduler->Now() >= deadline.at) return static_cast<int>(done + 1);
  }
  return heddle::Several(done, last);
}

HEDDLE_EXPORT int sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(sendmmsg)(descriptor, messages, count, flags);
  unsigned done = 0;
  long last = 0;
  for (; done < count; ++done) {
    last = heddle::SendMessage(scheduler, descriptor, messages[done].msg_hdr, flags, HEDDLE_CALLER);
    if (last < 0) break;
    messages[done].msg_len = static_cast<unsigned>(last);
  }
  return heddle::Several(done, last);
}
