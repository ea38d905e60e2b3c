#include "runtime/interpose/io_wait.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/ports.h"

namespace heddle {
namespace {

std::vector<bool>* inside = nullptr;  // by descriptor

Deadline Sooner(const Deadline& a, const Deadline& b) {
  if (!a.is_set) return b;
  return b.is_set && b.at < a.at ? b : a;
}

}  // namespace

Object* IoObject() {
  constexpr std::uint64_t kIoKey = 4;
  return Objects::Named(ObjectKind::kIo, kIoKey);
}

bool IsChannel(int descriptor) {
  struct stat status = {};
  if (RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return false;
  // eventfd, timerfd and epoll have no file type.
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || (status.st_mode & S_IFMT) == 0;
}

bool IsNonBlocking(int descriptor) {
  const long flags = RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

void SetInside(int descriptor, bool is_inside) {
  if (descriptor < 0) return;
  if (inside == nullptr) inside = new std::vector<bool>();
  const auto index = static_cast<std::size_t>(descriptor);
  if (inside->size() <= index) inside->resize(index + 1, false);
  (*inside)[index] = is_inside;
}

bool IsInside(int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  return descriptor >= 0 && inside != nullptr && index < inside->size() && (*inside)[index];
}

void ForgetInside() {
  ForgetPipes();
  if (inside != nullptr) inside->clear();
}

Scheduler* IoScheduler() {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  return scheduler != nullptr && scheduler->recorder().recording() ? scheduler : nullptr;
}

Outcome AwaitIo(Scheduler* scheduler, const IoWait& wait) {
  Thread* const self = scheduler->current();
  TestCancel(scheduler);
  for (;;) {
    FireTimers(scheduler->Now());
    const Deadline deadline =
        wait.is_ready == nullptr ? Deadline() : Sooner(wait.deadline, EarliestTimer());
    self->io_ready = wait.is_ready;
    self->io_argument = wait.argument;
    self->hears_outside = wait.is_outside;
    const Outcome outcome = scheduler->Reach({.kind = wait.kind,
                                              .object = IoObject(),
                                              .site = wait.site,
                                              .timed = deadline.is_set,
                                              .deadline = deadline.at,
                                              .interruptible = true});
    self->io_ready = nullptr;
    if (outcome == Outcome::kNormal) return outcome;
    if (outcome == Outcome::kTimeout) {
      FireTimers(scheduler->Now());
      if (wait.is_ready(wait.argument)) return Outcome::kNormal;
      if (wait.deadline.is_set && scheduler->Now() >= wait.deadline.at) return outcome;
      scheduler->Record()->flags |= Event::kTimedOut;
      continue;
    }
    if (InterruptsCall(scheduler)) {
      errno = EINTR;
      return outcome;
    }
  }
}

void FinishIo(Scheduler* scheduler, long result) {
  const int error = errno;
  Event* const event = scheduler->Record();
  event->value = static_cast<std::uint64_t>(result);
  event->flags |= Event::kHasValue;
  scheduler->Reconsider(IoObject());
  errno = error;
}

}  // namespace heddle
