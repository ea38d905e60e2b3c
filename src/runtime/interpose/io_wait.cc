#include "runtime/interpose/io_wait.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/outside.h"

namespace heddle {
namespace {

std::vector<bool>* inside = nullptr;  // by descriptor
std::vector<bool>* events = nullptr;  // likewise

void Mark(std::vector<bool>** set, int descriptor, bool is_in) {
  if (descriptor < 0) return;
  if (*set == nullptr) *set = new std::vector<bool>();
  const auto index = static_cast<std::size_t>(descriptor);
  if ((*set)->size() <= index) (*set)->resize(index + 1, false);
  (**set)[index] = is_in;
}

bool IsMarked(const std::vector<bool>* set, int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  return descriptor >= 0 && set != nullptr && index < set->size() && (*set)[index];
}

struct PipeInode {
  std::uint64_t device = 0, inode = 0;
  std::uint64_t read_key = 0, write_key = 0;
  std::uint64_t maker = 0;  // path of the thread
};
std::vector<PipeInode>* pipes = nullptr;

bool StatusOf(int descriptor, struct stat* status) {
  return RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(status)) == 0;
}

const PipeInode* FindPipe(int descriptor) {
  struct stat status = {};
  if (pipes == nullptr || pipes->empty() || !StatusOf(descriptor, &status)) return nullptr;
  for (const PipeInode& pipe : *pipes) {
    if (pipe.inode == status.st_ino && pipe.device == status.st_dev) return &pipe;
  }
  return nullptr;
}

void AddPipe(int descriptor, PipeInode pipe) {
  struct stat status = {};
  if (!StatusOf(descriptor, &status)) return;
  pipe.device = status.st_dev;
  pipe.inode = status.st_ino;
  for (PipeInode& old : *pipes) {
    if (old.inode != pipe.inode || old.device != pipe.device) continue;
    old = pipe;  // the number was free again
    return;
  }
  pipes->push_back(pipe);
}

Deadline Sooner(const Deadline& a, const Deadline& b) {
  if (!a.is_set) return b;
  return b.is_set && b.at < a.at ? b : a;
}

// A wait that somebody outside may end: what it is told is written down.
struct OutsideWait {
  const IoWait* wait;
  std::uint64_t thread_path;
};

bool IsOutsideReady(void* argument) {
  const auto& one = *static_cast<OutsideWait*>(argument);
  return outside::IsReady(one.thread_path, one.wait->is_ready, one.wait->argument);
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

void SetInside(int descriptor, bool is_inside) { Mark(&inside, descriptor, is_inside); }
bool IsInside(int descriptor) { return IsMarked(inside, descriptor); }

void SetEvent(int descriptor, bool is_event) {
  if (is_event || IsEvent(descriptor)) Mark(&events, descriptor, is_event);
}
bool IsEvent(int descriptor) { return IsMarked(events, descriptor); }

Object* EventObject(int descriptor) {
  constexpr std::uint64_t kEventKey = 0x746e657665;
  return Objects::Named(ObjectKind::kIo, Mix(kEventKey, static_cast<std::uint64_t>(descriptor)));
}

void ForgetInside() {
  ForgetPipes();
  if (inside != nullptr) inside->clear();
  if (events != nullptr) events->clear();
}

void RegisterPipe(const int ends[2], bool is_socket) {
  constexpr std::uint64_t kPipeKey = 0x65706970;
  const EngineScope scope;
  if (pipes == nullptr) pipes = new std::vector<PipeInode>();
  const Scheduler* const scheduler = Scheduler::Get();
  PipeInode pipe;
  pipe.maker = scheduler == nullptr ? 0 : scheduler->current()->path_hash;
  std::uint64_t nth = 0;
  for (const PipeInode& other : *pipes) nth += other.maker == pipe.maker ? 1 : 0;
  const std::uint64_t key = Mix(Mix(pipe.maker, nth), kPipeKey);
  pipe.read_key = key;
  pipe.write_key = is_socket ? Mix(key, 1) : key;
  AddPipe(ends[0], pipe);
  if (!is_socket) return;
  std::swap(pipe.read_key, pipe.write_key);
  AddPipe(ends[1], pipe);
}

Object* PortWrittenBy(int descriptor) {
  const PipeInode* const pipe = FindPipe(descriptor);
  return pipe == nullptr ? nullptr : Objects::Named(ObjectKind::kBoundedPort, pipe->write_key);
}

Object* PortReadBy(int descriptor) {
  const PipeInode* const pipe = FindPipe(descriptor);
  return pipe == nullptr ? nullptr : Objects::Named(ObjectKind::kBoundedPort, pipe->read_key);
}

bool IsKnownPipe(int descriptor) { return FindPipe(descriptor) != nullptr; }

void ForgetPipes() {
  if (pipes != nullptr) pipes->clear();
}

Scheduler* IoScheduler() {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  return scheduler != nullptr && scheduler->recorder().recording() ? scheduler : nullptr;
}

Outcome AwaitIo(Scheduler* scheduler, const IoWait& wait) {
  Thread* const self = scheduler->current();
  OutsideWait outside_wait = {&wait, self->path_hash};
  TestCancel(scheduler);
  for (;;) {
    FireTimers(scheduler->Now());
    const Deadline deadline =
        wait.is_ready == nullptr ? Deadline() : Sooner(wait.deadline, EarliestTimer());
    const bool asks_outside = wait.is_ready != nullptr && wait.is_outside;
    self->io_ready = asks_outside ? IsOutsideReady : wait.is_ready;
    self->io_argument = asks_outside ? &outside_wait : wait.argument;
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
      if (asks_outside ? IsOutsideReady(&outside_wait) : wait.is_ready(wait.argument)) {
        return Outcome::kNormal;
      }
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
