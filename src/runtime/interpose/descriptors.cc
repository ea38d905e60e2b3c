// Descriptors that the program makes for itself, and further numbers for those it has.
#include "runtime/interpose/descriptors.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/file_lock.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/ports.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signal_fd.h"
#include "runtime/interpose/sockets.h"
#include "runtime/interpose/watches.h"

namespace heddle {
namespace {

int Duplicated(int from, int to) {
  if (!KeepsNotes()) return to;
  if (to >= 0 && from != to) NoteAnotherNumber(from, to);
  Numbers::NoteOpened(to);
  return to;
}

// Two that belong to each other; `result` is that of the call which made them.
template <typename Register>
int Opened(const int ends[2], int result, const Register& enter) {
  if (result != 0 || !KeepsNotes()) return result;
  for (int i = 0; i < 2; ++i) SetInside(ends[i], true);
  enter();
  for (int i = 0; i < 2; ++i) Numbers::NoteOpened(ends[i]);
  return 0;
}

// Over a pipe's, a socket's or a locked file's number: that is closed, which others may wait for.
template <typename Call>
int Replaced(int from, int to, std::uint64_t site, const Call& call) {
  Scheduler* const scheduler = IoScheduler();
  const bool concerns_others = IsChannel(to) || Numbers::Last(to) != nullptr;
  if (scheduler != nullptr && from != to && UsesFileLocks(to)) {
    const auto replace = [&] { return static_cast<long>(Duplicated(from, call())); };
    return static_cast<int>(Do(scheduler, ClosesLocked(to, site), replace));
  }
  if (scheduler == nullptr || from == to || !concerns_others) return Duplicated(from, call());
  AwaitIo(scheduler, {.kind = OpKind::kDescriptor, .cancels = false, .site = site});
  LeaveToCopies(to);
  const int result = Duplicated(from, call());
  FinishIo(scheduler, result);
  DescribeAgain(scheduler);
  return result;
}

int Control(int (*next)(int, int, ...), int descriptor, int command, void* argument,
            std::uint64_t site) {
  if (IsLockCommand(command)) {
    Scheduler* const scheduler = IoScheduler();
    if (scheduler != nullptr) return ControlLock(scheduler, descriptor, command, argument, site);
  }
  const int result = next(descriptor, command, argument);
  if (command != F_DUPFD && command != F_DUPFD_CLOEXEC) return result;
  return Duplicated(descriptor, result);
}

}  // namespace

void NoteAnotherNumber(int from, int to) {
  const EngineScope scope;
  outside::ForgetStream(to);
  ForgetWatched(to);
  ForgetTimer(to);
  ForgetSignalFd(to);
  NoteSignalFdCopy(from, to);
  ForgetCounter(to);
  NoteClosed(to);
  SetInside(to, IsInside(from));
  NoteDuplicate(from, to);
}

}  // namespace heddle

namespace real = heddle::real;

HEDDLE_EXPORT int pipe(int ends[2]) noexcept {
  return heddle::Opened(ends, real::pipe(ends), [&] { heddle::RegisterPipe(ends); });
}

HEDDLE_EXPORT int pipe2(int ends[2], int flags) noexcept {
  return heddle::Opened(ends, real::pipe2(ends, flags), [&] { heddle::RegisterPipe(ends); });
}

HEDDLE_EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  return heddle::Opened(ends, real::socketpair(domain, type, protocol, ends),
                        [&] { heddle::RegisterPair(ends, type); });
}

HEDDLE_EXPORT int eventfd(unsigned count, int flags) noexcept {
  const int result = real::eventfd(count, flags);
  if (result < 0 || !heddle::KeepsNotes()) return result;
  heddle::SetInside(result, true);
  heddle::RegisterCounter(result, count, (flags & EFD_SEMAPHORE) != 0);
  heddle::Numbers::NoteOpened(result);
  return result;
}

HEDDLE_EXPORT int eventfd_read(int descriptor, eventfd_t* value) {
  return read(descriptor, value, sizeof *value) == sizeof *value ? 0 : -1;
}

HEDDLE_EXPORT int eventfd_write(int descriptor, eventfd_t value) {
  return write(descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

HEDDLE_EXPORT int dup(int descriptor) noexcept {
  return heddle::Duplicated(descriptor, HEDDLE_NEXT(dup)(descriptor));
}

HEDDLE_EXPORT int dup2(int from, int to) noexcept {
  return heddle::Replaced(from, to, HEDDLE_CALLER, [&] { return HEDDLE_NEXT(dup2)(from, to); });
}

HEDDLE_EXPORT int dup3(int from, int to, int flags) noexcept {
  return heddle::Replaced(from, to, HEDDLE_CALLER,
                          [&] { return HEDDLE_NEXT(dup3)(from, to, flags); });
}

// The argument is a number or a pointer: either fits into a pointer.
HEDDLE_EXPORT int fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return heddle::Control(HEDDLE_NEXT(fcntl), descriptor, command, argument, HEDDLE_CALLER);
}

HEDDLE_EXPORT int fcntl64(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return heddle::Control(HEDDLE_NEXT(fcntl64), descriptor, command, argument, HEDDLE_CALLER);
}
