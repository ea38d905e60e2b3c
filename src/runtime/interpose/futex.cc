// syscall(SYS_futex, …): what std::atomic::wait, latch, barrier, counting_semaphore and future
// stand on.
//
// Its operations are on the memory it lies in: waiting looks at the value, so it conflicts with
// writes to it. The sleepers are kept beside, by exact address.
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <vector>

#include "runtime/engine.h"
#include "runtime/interpose/children.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/identity.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/memory_object.h"
#include "runtime/scheduler/scheduler.h"
#include "trace/unseen_thread.h"

namespace heddle {
namespace {

long Fail(int error) {
  errno = error;
  return -1;
}

struct FutexCall {
  std::uint32_t* address;
  int operation;
  std::uint32_t value;
  const timespec* timeout;
  std::uint64_t site;
  std::uint32_t bits;  // of the sleeper, or of those that are woken
};
constexpr std::uint32_t kAllBits = FUTEX_BITSET_MATCH_ANY;

// Of sleepers, by thread: set when they go to sleep.
std::vector<std::uint32_t>* sleepers_bits = nullptr;

void NoteBits(const Scheduler* scheduler, std::uint32_t bits) {
  const ThreadId self = scheduler->current()->id;
  if (sleepers_bits == nullptr) sleepers_bits = new std::vector<std::uint32_t>();
  if (sleepers_bits->size() <= self) sleepers_bits->resize(self + 1u, 0);
  (*sleepers_bits)[self] = bits;
}

long Wait(Scheduler* scheduler, const FutexCall& call) {
  Deadline deadline;
  const bool is_valid = call.timeout == nullptr || IsValid(call.timeout);
  if (call.timeout != nullptr && is_valid) {
    const bool wall = (call.operation & FUTEX_CLOCK_REALTIME) != 0;
    deadline = (call.operation & FUTEX_CMD_MASK) == FUTEX_WAIT
                   ? DeadlineIn(scheduler, call.timeout, call.site)
                   : DeadlineAt(scheduler, wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, call.timeout);
  }
  Object* const memory = MemoryAt(call.address, sizeof *call.address);
  Object* const queue = Objects::At(call.address, ObjectKind::kFutex);
  scheduler->Reach({.kind = OpKind::kFutexWait, .object = memory, .site = call.site, .size = 4});
  Event* const event = scheduler->Record();
  event->value = call.value;
  event->flags |= Event::kHasValue;
  if (__atomic_load_n(call.address, __ATOMIC_SEQ_CST) != call.value) {
    event->flags |= Event::kFailed;
    return Fail(EAGAIN);
  }
  if (call.timeout != nullptr) event->flags |= Event::kMayTimeOut;
  if (!is_valid) return Fail(EINVAL);
  NoteBits(scheduler, call.bits);
  const Outcome outcome = scheduler->SleepIn(queue, {.kind = OpKind::kWake,
                                                     .object = memory,
                                                     .second = ClockFor(scheduler, deadline),
                                                     .site = call.site,
                                                     .size = 4,
                                                     .timed = deadline.is_set,
                                                     .deadline = deadline.at,
                                                     .interruptible = true});
  if (outcome == kInterrupted) {
    scheduler->Record()->flags |= Event::kFailed;
    scheduler->Attend();
    return Fail(EINTR);
  }
  Event* const woken = scheduler->Record();
  if (outcome == Outcome::kTimeout) {
    woken->flags |= Event::kTimedOut;
    return Fail(ETIMEDOUT);
  }
  return 0;
}

// One of those that sleep with one of these bits; false: there is none.
bool WakeOneOf(Scheduler* scheduler, Object* queue, std::uint32_t bits, std::uint32_t most) {
  constexpr std::uint32_t kMost = 64;
  std::uint64_t meant[kMost];              // thread + 1
  std::uint32_t nothing_else[kMost] = {};  // tells them apart
  std::uint32_t count = 0;
  for (const ThreadId thread : queue->waiters.threads()) {
    if (count < kMost && ((*sleepers_bits)[thread] & bits) != 0) meant[count++] = thread + 1u;
  }
  if (count == 0) return false;
  std::sort(meant, meant + count);
  const std::uint32_t which =
      count <= most ? 0 : scheduler->ChooseMessage(meant, nothing_else, count);
  scheduler->Wake(queue, static_cast<ThreadId>(meant[which] - 1));
  return true;
}

long Wake(Scheduler* scheduler, const FutexCall& call) {
  Object* const memory = MemoryAt(call.address, sizeof *call.address);
  Object* const queue = Objects::At(call.address, ObjectKind::kFutex);
  scheduler->Reach({.kind = OpKind::kFutexWake, .object = memory, .site = call.site, .size = 4});
  Event* const event = scheduler->Record();
  event->value = call.value;
  event->flags |= Event::kHasValue;
  long count = 0;
  while (count < static_cast<long>(call.value) && !queue->waiters.empty()) {
    const std::uint32_t left = call.value - static_cast<std::uint32_t>(count);
    if (call.bits == kAllBits) {
      // All of them: no choice. Otherwise each one is chosen.
      const bool all = queue->waiters.size() <= left;
      scheduler->Wake(queue, all ? queue->waiters.threads()[0] : scheduler->ChooseWaiter(queue));
    } else if (!WakeOneOf(scheduler, queue, call.bits, left)) {
      break;
    }
    ++count;
  }
  return count;
}

std::uint32_t BitsOf(int operation, long bits) {
  const int command = operation & FUTEX_CMD_MASK;
  const bool has_bits = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
  return has_bits ? static_cast<std::uint32_t>(bits) : kAllBits;
}

// True when the call was a futex operation that heddle models; *result is then its value.
bool Futex(Scheduler* scheduler, const FutexCall& call, long* result) {
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(call.address) % sizeof(std::uint32_t) == 0;
  if (!is_aligned || call.bits == 0) {
    *result = Fail(EINVAL);
    return true;
  }
  switch (call.operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      *result = Wait(scheduler, call);
      return true;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      *result = Wake(scheduler, call);
      return true;
    default:
      scheduler->Uncontrolled("futex operation other than wait and wake",
                              "threads that block in it stop the whole run", call.site);
      return false;
  }
}

struct RawCall {
  long number;
  const long* arguments;
};

// Of a system call that makes a thread or a process; null of all others.
const char* NameOfCloning(long number) {
  switch (number) {
    case SYS_clone:
      return "syscall(SYS_clone)";
    case SYS_clone3:
      return "syscall(SYS_clone3)";
    case SYS_fork:
      return "syscall(SYS_fork)";
    case SYS_vfork:
      return "syscall(SYS_vfork)";
    default:
      return nullptr;
  }
}

// It makes a process, whose memory is a copy of this one's.
bool CopiesMemory(const RawCall& call) {
  if (call.number == SYS_fork || call.number == SYS_vfork) return true;
  const auto flags = call.number == SYS_clone
                         ? static_cast<std::uint64_t>(call.arguments[0])
                         : *reinterpret_cast<const std::uint64_t*>(call.arguments[0]);
  return (flags & CLONE_VM) == 0;
}

long Copy(const void* how) {
  const auto& [number, a] = *static_cast<const RawCall*>(how);
  // As vfork() itself: a child that shares this stack can't be told apart from its parent.
  if (number == SYS_vfork) return real::syscall(SYS_fork);
  return real::syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr && number == SYS_futex) {
    long result = 0;
    const heddle::FutexCall call = {reinterpret_cast<std::uint32_t*>(a[0]),
                                    static_cast<int>(a[1]),
                                    static_cast<std::uint32_t>(a[2]),
                                    reinterpret_cast<const timespec*>(a[3]),
                                    HEDDLE_CALLER,
                                    heddle::BitsOf(static_cast<int>(a[1]), a[5])};
    if (heddle::Futex(scheduler, call, &result)) return result;
  }
  // What libraries ask for without libc's functions.
  if (scheduler != nullptr && number == SYS_getpid) return getpid();
  if (scheduler != nullptr && number == SYS_gettid) return gettid();
  if (scheduler != nullptr && number == SYS_getrandom) {
    return getrandom(reinterpret_cast<void*>(a[0]), static_cast<std::size_t>(a[1]), 0);
  }
  if (scheduler != nullptr && number == SYS_exit_group) _exit(static_cast<int>(a[0]));
  if (const char* const name = heddle::NameOfCloning(number);
      scheduler != nullptr && name != nullptr) {
    const heddle::RawCall call{number, a};
    if (heddle::CopiesMemory(call)) {
      return heddle::CopyProcess(name, HEDDLE_CALLER, heddle::Copy, &call);
    }
    scheduler->Uncontrolled(name, heddle::kStartsUnseenThread, HEDDLE_CALLER);
    heddle::ForgetInside();
  }
  if (scheduler != nullptr && number == SYS_exit) {
    scheduler->Uncontrolled(
        "syscall(SYS_exit)",
        "it ends a kernel thread, on which other threads of the program may run", HEDDLE_CALLER);
  }
  if (scheduler != nullptr && (number == SYS_tgkill || number == SYS_tkill)) {
    const bool names_process = number == SYS_tgkill;
    const auto process = names_process ? static_cast<pid_t>(a[0]) : getpid();
    const auto thread = static_cast<pid_t>(a[names_process ? 1 : 0]);
    const auto signal = static_cast<int>(a[names_process ? 2 : 1]);
    return heddle::SignalThread(scheduler, process, thread, signal, HEDDLE_CALLER);
  }
  if (scheduler != nullptr && number == SYS_kill) {
    return kill(static_cast<pid_t>(a[0]), static_cast<int>(a[1]));
  }
  if (scheduler != nullptr) heddle::TranslateNumbers(number, a);
  return real::syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
