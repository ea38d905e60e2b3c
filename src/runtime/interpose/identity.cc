// getpid and gettid say numbers that are the same in every run and no process has
// (interpose/entropy.h): whoever hands them back to the system means this process.
#include "runtime/interpose/identity.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/entropy.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/signal_delivery.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

// No program has more threads than that.
constexpr pid_t kMostThreads = 1 << 16;

bool IsVirtual(pid_t number) {
  return number >= kVirtualProcess && number - kVirtualProcess < kMostThreads;
}

int Fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

pid_t RealNumber(pid_t number) {
  if (!IsVirtual(number) || Scheduler::OfThisThread() == nullptr) return number;
  const bool is_process = number == kVirtualProcess;
  return static_cast<pid_t>(RawSyscall(is_process ? SYS_getpid : SYS_gettid));
}

pid_t ToldNumber(pid_t number) {
  if (Scheduler::OfThisThread() == nullptr) return number;
  return number == RawSyscall(SYS_getpid) ? kVirtualProcess : number;
}

int SignalThread(Scheduler* scheduler, pid_t process, pid_t thread, int signal,
                 std::uint64_t site) {
  const auto index = static_cast<std::size_t>(thread - kVirtualProcess);
  if (process != kVirtualProcess || !IsVirtual(thread) || index >= scheduler->thread_count()) {
    return Fail(ESRCH);
  }
  if (signal < 0 || signal >= NSIG) return Fail(EINVAL);
  Thread* const target = scheduler->ThreadById(static_cast<ThreadId>(index));
  if (target->ended) return Fail(ESRCH);
  if (signal == 0) return 0;
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_TKILL;
  info.si_pid = kVirtualProcess;
  info.si_uid = getuid();
  SendSignal(scheduler, target, info, site);
  return 0;
}

void TranslateNumbers(long call, long* arguments) {
  switch (call) {
    case SYS_getpgid:
    case SYS_setpgid:
    case SYS_getsid:
    case SYS_sched_getaffinity:
    case SYS_sched_setaffinity:
    case SYS_sched_getscheduler:
    case SYS_sched_setscheduler:
    case SYS_sched_getparam:
    case SYS_sched_setparam:
    case SYS_sched_getattr:
    case SYS_sched_setattr:
    case SYS_sched_rr_get_interval:
    case SYS_prlimit64:
    case SYS_pidfd_open:
    case SYS_process_vm_readv:
    case SYS_process_vm_writev:
    case SYS_rt_sigqueueinfo:
      arguments[0] = RealNumber(static_cast<pid_t>(arguments[0]));
      return;
    case SYS_getpriority:
    case SYS_setpriority:
    case SYS_ioprio_get:
    case SYS_ioprio_set:
      arguments[1] = RealNumber(static_cast<pid_t>(arguments[1]));
      return;
    default:
      return;
  }
}

}  // namespace heddle

using heddle::RealNumber;
using heddle::Scheduler;

HEDDLE_EXPORT int sigqueue(pid_t process, int signal, const union sigval value) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || process != heddle::kVirtualProcess) {
    return HEDDLE_NEXT(sigqueue)(process, signal, value);
  }
  if (signal < 0 || signal >= NSIG) return heddle::Fail(EINVAL);
  if (signal == 0) return 0;
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = process;
  info.si_uid = getuid();
  info.si_value = value;
  heddle::SendSignal(scheduler, nullptr, info, HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int tgkill(pid_t process, pid_t thread, int signal) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || process != heddle::kVirtualProcess) {
    return HEDDLE_NEXT(tgkill)(process, thread, signal);
  }
  return heddle::SignalThread(scheduler, process, thread, signal, HEDDLE_CALLER);
}

HEDDLE_EXPORT pid_t getpgid(pid_t process) noexcept {
  return HEDDLE_NEXT(getpgid)(RealNumber(process));
}

HEDDLE_EXPORT int setpgid(pid_t process, pid_t group) noexcept {
  return HEDDLE_NEXT(setpgid)(RealNumber(process), RealNumber(group));
}

HEDDLE_EXPORT pid_t getsid(pid_t process) noexcept {
  return HEDDLE_NEXT(getsid)(RealNumber(process));
}

HEDDLE_EXPORT int sched_getaffinity(pid_t process, std::size_t size, cpu_set_t* set) noexcept {
  return HEDDLE_NEXT(sched_getaffinity)(RealNumber(process), size, set);
}

HEDDLE_EXPORT int sched_setaffinity(pid_t process, std::size_t size,
                                    const cpu_set_t* set) noexcept {
  return HEDDLE_NEXT(sched_setaffinity)(RealNumber(process), size, set);
}

HEDDLE_EXPORT int sched_getscheduler(pid_t process) noexcept {
  return HEDDLE_NEXT(sched_getscheduler)(RealNumber(process));
}

HEDDLE_EXPORT int sched_setscheduler(pid_t process, int policy,
                                     const sched_param* parameters) noexcept {
  return HEDDLE_NEXT(sched_setscheduler)(RealNumber(process), policy, parameters);
}

HEDDLE_EXPORT int sched_getparam(pid_t process, sched_param* parameters) noexcept {
  return HEDDLE_NEXT(sched_getparam)(RealNumber(process), parameters);
}

HEDDLE_EXPORT int sched_setparam(pid_t process, const sched_param* parameters) noexcept {
  return HEDDLE_NEXT(sched_setparam)(RealNumber(process), parameters);
}

HEDDLE_EXPORT int sched_rr_get_interval(pid_t process, timespec* time) noexcept {
  return HEDDLE_NEXT(sched_rr_get_interval)(RealNumber(process), time);
}

HEDDLE_EXPORT int getpriority(__priority_which_t which, id_t who) noexcept {
  return HEDDLE_NEXT(getpriority)(which, static_cast<id_t>(RealNumber(static_cast<pid_t>(who))));
}

HEDDLE_EXPORT int setpriority(__priority_which_t which, id_t who, int priority) noexcept {
  return HEDDLE_NEXT(setpriority)(which, static_cast<id_t>(RealNumber(static_cast<pid_t>(who))),
                                  priority);
}

HEDDLE_EXPORT int prlimit(pid_t process, __rlimit_resource resource, const rlimit* limit,
                          rlimit* old) noexcept {
  return HEDDLE_NEXT(prlimit)(RealNumber(process), resource, limit, old);
}

HEDDLE_EXPORT int prlimit64(pid_t process, __rlimit_resource resource, const rlimit64* limit,
                            rlimit64* old) noexcept {
  return HEDDLE_NEXT(prlimit64)(RealNumber(process), resource, limit, old);
}
