// What a program asks of a descriptor without using it: addresses, options, how much there is to
// read. Of a peer outside it is written down, and fed.
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdarg>
#include <cstring>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/identity.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/outside.h"

namespace heddle {
namespace {

constexpr std::uint64_t kThisEnd = 1;

bool IsAskedOutside(int descriptor) {
  return IoScheduler() != nullptr && IsChannel(descriptor) && outside::IsOutside(descriptor);
}

// Nothing changes, so this is no operation.
int AddressOf(long call, int descriptor, sockaddr* address, socklen_t* length,
              std::uint64_t question) {
  const auto ask = [&] {
    return Returned(RawSyscall(call, descriptor, reinterpret_cast<long>(address),
                               reinterpret_cast<long>(length)));
  };
  if (!IsAskedOutside(descriptor)) return static_cast<int>(ask());
  return static_cast<int>(outside::Ask({.kind = InputKind::kAddress,
                                        .descriptor = descriptor,
                                        .into = outside::IntoAddress(address, length),
                                        .question = question},
                                       ask));
}

// How much waits to be read or sent, and what else depends on the other end.
bool IsAboutQueue(unsigned long request) {
  return request == FIONREAD || request == SIOCOUTQ || request == SIOCOUTQNSD ||
         request == SIOCATMARK;
}

// Other threads' reading and writing changes it: an operation, like a poll that does not wait.
int AskQueue(Scheduler* scheduler, int descriptor, unsigned long request, int* answer,
             std::uint64_t site) {
  const auto ask = [&] {
    return Returned(RawSyscall(SYS_ioctl, descriptor, static_cast<long>(request),
                               reinterpret_cast<long>(answer)));
  };
  AwaitIo(scheduler, {.kind = OpKind::kPoll, .cancels = false, .site = site});
  long result = 0;
  if (!outside::IsOutside(descriptor)) {
    result = ask();
  } else if (const long left = outside::BytesLeft(descriptor); request == FIONREAD && left >= 0) {
    *answer = static_cast<int>(left);
  } else {
    socklen_t size = sizeof *answer;
    result = outside::Ask({.kind = InputKind::kQueued,
                           .descriptor = descriptor,
                           .into = outside::IntoAddress(answer, &size),
                           .question = request},
                          ask);
  }
  FinishIo(scheduler, result < 0 ? result : *answer);
  return static_cast<int>(result);
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;

HEDDLE_EXPORT int getpeername(int descriptor, sockaddr* __restrict address,
                              socklen_t* __restrict length) noexcept {
  return heddle::AddressOf(SYS_getpeername, descriptor, address, length, 0);
}

// The system chooses one for who connects, another each time.
HEDDLE_EXPORT int getsockname(int descriptor, sockaddr* __restrict address,
                              socklen_t* __restrict length) noexcept {
  return heddle::AddressOf(SYS_getsockname, descriptor, address, length, heddle::kThisEnd);
}

HEDDLE_EXPORT int getsockopt(int descriptor, int level, int option, void* __restrict value,
                             socklen_t* __restrict length) noexcept {
  const auto ask = [&] {
    const long result = heddle::Returned(heddle::RawSyscall(SYS_getsockopt, descriptor, level,
                                                            option, reinterpret_cast<long>(value),
                                                            reinterpret_cast<long>(length)));
    if (result == 0 && level == SOL_SOCKET && option == SO_PEERCRED && *length == sizeof(ucred)) {
      auto* const peer = static_cast<ucred*>(value);
      peer->pid = heddle::ToldNumber(peer->pid);
    }
    return result;
  };
  if (!heddle::IsAskedOutside(descriptor)) return static_cast<int>(ask());
  const std::uint64_t question =
      (static_cast<std::uint64_t>(level) << 32 | static_cast<std::uint32_t>(option)) + 1;
  return static_cast<int>(heddle::outside::Ask({.kind = heddle::InputKind::kOption,
                                                .descriptor = descriptor,
                                                .into = heddle::outside::IntoAddress(value, length),
                                                .question = question},
                                               ask));
}

// The argument is a number or a pointer: either fits into a pointer.
HEDDLE_EXPORT int ioctl(int descriptor, unsigned long request, ...) noexcept {
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr || !heddle::IsAboutQueue(request) || !heddle::IsChannel(descriptor)) {
    return HEDDLE_NEXT(ioctl)(descriptor, request, argument);
  }
  return heddle::AskQueue(scheduler, descriptor, request, static_cast<int*>(argument),
                          HEDDLE_CALLER);
}
