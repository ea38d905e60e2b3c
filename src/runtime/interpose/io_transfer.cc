// read, write and their relatives on pipes, sockets and the like. On files and terminals they pass
// through.
#include "runtime/interpose/io_transfer.h"

#include <unistd.h>

#include <cstring>

#include "runtime/interpose/buffers.h"
#include "runtime/interpose/entropy.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signal_fd.h"
#include "runtime/interpose/stream.h"

namespace heddle {
namespace {

using transfer::Destination;
using transfer::Receive;
using transfer::Send;
using transfer::UsesChannel;
using transfer::Waits;
using transfer::WaitsForAll;

struct Sender {
  sockaddr* address = nullptr;
  socklen_t* length = nullptr;
};

long ReceiveFrom(Scheduler* scheduler, int descriptor, const iovec& buffer, int flags,
                 const Sender& from, std::uint64_t site) {
  IncomingBytes incoming(buffer.iov_base, buffer.iov_len, site);
  const iovec into = incoming.into();
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
    if (result <= 0) return incoming.Arrived(got > 0 ? static_cast<long>(got) : result);
    got += static_cast<std::size_t>(result);
    if (got >= into.iov_len || !all) return incoming.Arrived(static_cast<long>(got));
  }
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT ssize_t read(int descriptor, void* buffer, std::size_t size) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::read(descriptor, buffer, size);
  heddle::IncomingBytes incoming(buffer, size, HEDDLE_CALLER);
  if (heddle::IsSignalFd(descriptor)) {
    return incoming.Arrived(
        heddle::ReadSignals(scheduler, descriptor, incoming.into(), HEDDLE_CALLER));
  }
  const auto call = [&] { return real::read(descriptor, incoming.bytes(), size); };
  if (!heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) {
    if (!heddle::IsEntropyDevice(descriptor)) return incoming.Arrived(call());
    heddle::FillWithEntropy(scheduler, incoming.bytes(), size);
    return incoming.Arrived(static_cast<ssize_t>(size));
  }
  return incoming.Arrived(heddle::Receive(
      scheduler, descriptor, heddle::Waits(descriptor), {&incoming.into(), 1}, HEDDLE_CALLER, [&] {
        const ssize_t got = call();
        // The real timer was made ready once, however often it expired.
        const std::uint64_t times = got == sizeof times ? heddle::TakeExpirations(descriptor) : 0;
        if (times > 1) std::memcpy(incoming.bytes(), &times, sizeof times);
        return got;
      }));
}

HEDDLE_EXPORT ssize_t write(int descriptor, const void* buffer, std::size_t size) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::write(descriptor, buffer, size);
  const heddle::OutgoingBytes outgoing(buffer, size, HEDDLE_CALLER);
  if (!heddle::UsesChannel(scheduler, descriptor, HEDDLE_CALLER)) {
    const heddle::OutputScope output(descriptor, HEDDLE_CALLER);
    return real::write(descriptor, outgoing.bytes(), size);
  }
  heddle::Destination to;
  if (size == sizeof to.amount) std::memcpy(&to.amount, outgoing.bytes(), sizeof to.amount);
  return heddle::Send(
      scheduler, descriptor, heddle::Waits(descriptor), size, HEDDLE_CALLER,
      [&](std::size_t from, std::size_t rest) {
        return real::write(descriptor, outgoing.bytes() + from, rest);
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
  const heddle::OutgoingBytes outgoing(buffer, size, HEDDLE_CALLER);
  return heddle::Send(scheduler, descriptor, heddle::Waits(descriptor, flags), size, HEDDLE_CALLER,
                      [&](std::size_t from, std::size_t rest) {
                        return real::send(descriptor, outgoing.bytes() + from, rest, flags);
                      });
}

HEDDLE_EXPORT ssize_t sendto(int descriptor, const void* buffer, std::size_t size, int flags,
                             const sockaddr* to, socklen_t length) {
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return real::sendto(descriptor, buffer, size, flags, to, length);
  const heddle::OutgoingBytes outgoing(buffer, size, HEDDLE_CALLER);
  return heddle::Send(scheduler, descriptor, heddle::Waits(descriptor, flags), size, HEDDLE_CALLER,
                      [&](std::size_t from, std::size_t rest) {
                        const ssize_t sent = real::sendto(descriptor, outgoing.bytes() + from, rest,
                                                          flags, to, length);
                        if (sent >= 0) heddle::NoteSent(descriptor);
                        return sent;
                      },
                      {to, length});
}
