#include "runtime/interpose/named_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <vector>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/ports.h"
#include "runtime/worker/copyable.h"

namespace heddle {
namespace {

// An end that the program has open.
struct End {
  int descriptor;
  std::uint64_t device, inode;
  bool writes;
};
std::vector<End>* ends = nullptr;

struct Opening {
  const OpenRequest* request;
  std::uint64_t peer;
  bool writes;
  int descriptor = -1;
  int error = 0;
};

void Try(Opening* opening) {
  if (opening->descriptor >= 0) return;
  const OpenRequest& request = *opening->request;
  const long result =
      RawSyscall(SYS_openat, request.directory, reinterpret_cast<long>(request.name),
                 request.flags | O_NONBLOCK, 0);
  if (result >= 0) {
    opening->descriptor = static_cast<int>(result);
    opening->error = 0;
  } else {
    opening->error = static_cast<int>(-result);
  }
}

// Of an end for reading. Poll shows data, and that writers came and left, but not that one is
// there and says nothing.
bool HasWriter(int descriptor) {
  pollfd one = {descriptor, POLLIN, 0};
  if (RawSyscall(SYS_poll, reinterpret_cast<long>(&one), 1, 0) > 0) return true;
  int scratch[2];
  if (RawSyscall(SYS_pipe2, reinterpret_cast<long>(scratch), O_CLOEXEC) != 0) return true;
  constexpr long kNonBlocking = 2;  // SPLICE_F_NONBLOCK
  const long result = RawSyscall(SYS_tee, descriptor, scratch[1], 1, kNonBlocking);
  RawSyscall(SYS_close, scratch[0]);
  RawSyscall(SYS_close, scratch[1]);
  return result == -EAGAIN;
}

bool IsOwn(const Opening& opening) {
  struct stat status = {};
  if (ends == nullptr || opening.descriptor < 0 ||
      RawSyscall(SYS_fstat, opening.descriptor, reinterpret_cast<long>(&status)) != 0) {
    return false;
  }
  return std::any_of(ends->begin(), ends->end(), [&](const End& end) {
    return end.device == status.st_dev && end.inode == status.st_ino &&
           end.writes != opening.writes && end.descriptor != opening.descriptor;
  });
}

bool IsOpen(void* argument) {
  auto* const opening = static_cast<Opening*>(argument);
  if (opening->writes) Try(opening);
  if (opening->descriptor < 0 && opening->error != ENXIO && !outside::IsFed()) return true;
  if (outside::IsFed() && !IsOwn(*opening)) {
    return outside::HasAnswer(InputKind::kOpen, opening->peer);
  }
  return opening->descriptor >= 0 && (opening->writes || HasWriter(opening->descriptor));
}

void Keep(const Opening& opening) {
  struct stat status = {};
  if (RawSyscall(SYS_fstat, opening.descriptor, reinterpret_cast<long>(&status)) != 0) return;
  const EngineScope scope;
  if (ends == nullptr) ends = new std::vector<End>();
  ends->push_back({opening.descriptor, status.st_dev, status.st_ino, opening.writes});
}

// An end of a pipe, for one that only a recording knows.
int StandIn(bool writes) {
  int both[2];
  if (RawSyscall(SYS_pipe2, reinterpret_cast<long>(both), 0) != 0) return -1;
  RawSyscall(SYS_close, both[writes ? 0 : 1]);
  return both[writes ? 1 : 0];
}

int Open(Scheduler* scheduler, Opening opening) {
  const OpenRequest& request = *opening.request;
  AwaitIo(scheduler, {.kind = OpKind::kDescriptor, .site = request.site});
  Try(&opening);
  if (opening.descriptor >= 0) Keep(opening);
  FinishIo(scheduler, opening.descriptor >= 0 ? 0 : -1);
  if ((request.flags & O_NONBLOCK) == 0) {
    const bool was_open = opening.descriptor >= 0;
    const Outcome outcome = AwaitIo(scheduler, {.kind = OpKind::kPoll,
                                                .is_ready = IsOpen,
                                                .argument = &opening,
                                                .is_outside = true,
                                                .site = request.site});
    if (outcome == kInterrupted) {
      if (opening.descriptor >= 0) RawSyscall(SYS_close, opening.descriptor);
      ForgetNamedPipe(opening.descriptor);
      return -1;
    }
    if (!was_open && opening.descriptor >= 0) Keep(opening);
    FinishIo(scheduler, opening.descriptor >= 0 ? 0 : -1);
  }
  if (IsOwn(opening)) {
    RegisterNamedPipe(opening.descriptor, opening.peer);
  } else {
    const outside::Call call = {.kind = InputKind::kOpen, .peer = opening.peer};
    long result = opening.descriptor >= 0 ? 0 : -1;
    errno = opening.error;
    if (outside::Answered(call, &result)) {
      opening.error = result < 0 ? errno : 0;
      if (result >= 0 && opening.descriptor < 0) opening.descriptor = StandIn(opening.writes);
    }
    outside::Note(call, result);
  }
  errno = opening.error;
  if (opening.descriptor >= 0) {
    RawSyscall(SYS_fcntl, opening.descriptor, F_SETFL, request.flags & (O_NONBLOCK | O_APPEND));
  }
  return opening.descriptor;
}

}  // namespace

bool OpenNamedPipe(const OpenRequest& request, int* result) {
  const int access = request.flags & O_ACCMODE;
  if ((access != O_RDONLY && access != O_WRONLY) || (request.flags & (O_PATH | O_DIRECTORY)) != 0) {
    return false;  // never waits
  }
  Scheduler* const scheduler = IoScheduler();
  if (scheduler == nullptr) return false;
  constexpr std::uint64_t kOpened = 0x6f70;
  const std::uint64_t peer = Mix(HashText(request.name), kOpened);
  struct stat status = {};
  const long found =
      RawSyscall(SYS_newfstatat, request.directory, reinterpret_cast<long>(request.name),
                 reinterpret_cast<long>(&status), 0);
  // The peer that made it may have taken it away by the time of a replay.
  const bool is_pipe = found == 0 ? S_ISFIFO(status.st_mode)
                                  : found == -ENOENT && outside::IsFed() &&
                                        outside::HasAnswer(InputKind::kOpen, peer);
  if (!is_pipe) return false;
  *result = Open(scheduler, {.request = &request, .peer = peer, .writes = access == O_WRONLY});
  return true;
}

void ForgetNamedPipe(int descriptor) {
  if (ends == nullptr) return;
  std::erase_if(*ends, [descriptor](const End& end) { return end.descriptor == descriptor; });
}

void ForgetNamedPipes() {
  if (ends != nullptr) ends->clear();
}

}  // namespace heddle

#define HEDDLE_OPEN(function)                                                                  \
  HEDDLE_EXPORT int function(const char* path, int flags, ...) {                               \
    va_list list;                                                                              \
    va_start(list, flags);                                                                     \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;       \
    va_end(list);                                                                              \
    heddle::NoteOpening(AT_FDCWD, path, flags);                                                \
    int result = -1;                                                                           \
    const heddle::OpenRequest request = {.name = path, .flags = flags, .site = HEDDLE_CALLER}; \
    if (heddle::OpenNamedPipe(request, &result)) return result;                                \
    return HEDDLE_NEXT(function)(path, flags, mode);                                           \
  }
HEDDLE_OPEN(open)
HEDDLE_OPEN(open64)

#define HEDDLE_OPEN_AT(function)                                                         \
  HEDDLE_EXPORT int function(int directory, const char* path, int flags, ...) {          \
    va_list list;                                                                        \
    va_start(list, flags);                                                               \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                                        \
    heddle::NoteOpening(directory, path, flags);                                         \
    int result = -1;                                                                     \
    const heddle::OpenRequest request = {directory, path, flags, HEDDLE_CALLER};         \
    if (heddle::OpenNamedPipe(request, &result)) return result;                          \
    return HEDDLE_NEXT(function)(directory, path, flags, mode);                          \
  }
HEDDLE_OPEN_AT(openat)
HEDDLE_OPEN_AT(openat64)
