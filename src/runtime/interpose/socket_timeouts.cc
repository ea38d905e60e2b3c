#include "runtime/interpose/socket_timeouts.h"

#include <sys/socket.h>
#include <sys/time.h>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/next.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

// Whether a socket has one is the system's to know: duplicates and accepted connections have it
// too.
bool any_is_set = false;

}  // namespace

Deadline SocketDeadline(Scheduler* scheduler, int descriptor, OpKind kind, std::uint64_t site) {
  if (!any_is_set) return {};
  timeval time = {};
  socklen_t size = sizeof time;
  const int option = kind == OpKind::kReceive ? SO_RCVTIMEO : SO_SNDTIMEO;
  const long error = RawSyscall(SYS_getsockopt, descriptor, SOL_SOCKET, option,
                                reinterpret_cast<long>(&time), reinterpret_cast<long>(&size));
  if (error != 0 || (time.tv_sec == 0 && time.tv_usec == 0)) return {};
  const timespec length = {time.tv_sec, time.tv_usec * 1000};
  return DeadlineIn(scheduler, &length, site);
}

}  // namespace heddle

HEDDLE_EXPORT int setsockopt(int descriptor, int level, int option, const void* value,
                             socklen_t length) noexcept {
  const int result = HEDDLE_NEXT(setsockopt)(descriptor, level, option, value, length);
  if (result == 0 && level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO)) {
    heddle::any_is_set = true;
  }
  return result;
}
