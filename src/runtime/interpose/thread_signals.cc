// Signals between the program's threads: pthread_kill, raise, kill to oneself; masks of each
// thread; waiting for signals. What comes from outside (another process, a timer) is not
// controlled.
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signal_delivery.h"
#include "runtime/interpose/signal_fd.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {
namespace {

bool IsSignal(int signal) { return signal > 0 && signal < NSIG; }

bool IsSame(const sigset_t& a, const sigset_t& b) {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&a, signal) != sigismember(&b, signal)) return false;
  }
  return true;
}

siginfo_t InfoFor(int signal, int code) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return info;
}

int Fail(int error) {
  errno = error;
  return -1;
}

// The kernel's mask of the one thread that signals from outside may reach.
void FollowInKernel(const Thread& thread) {
  if (thread.id != kMainThread) return;
  sigset_t mask = thread.signal_mask;
  sigdelset(&mask, SIGPIPE);  // it comes to us in any case (worker/crash.h)
  if (IsMarkerInUse()) sigaddset(&mask, kMarkerSignal);
  real::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

int ChangeMask(Scheduler* scheduler, int how, const sigset_t* set, sigset_t* old,
               std::uint64_t site) {
  Thread* const self = scheduler->current();
  const sigset_t before = self->signal_mask;
  if (set != nullptr) {
    sigset_t next = before;
    if (how == SIG_SETMASK) next = *set;
    for (int signal = 1; signal < NSIG && how != SIG_SETMASK; ++signal) {
      if (sigismember(set, signal) != 1) continue;
      if (how == SIG_BLOCK) sigaddset(&next, signal);
      if (how == SIG_UNBLOCK) sigdelset(&next, signal);
    }
    if (how != SIG_SETMASK && how != SIG_BLOCK && how != SIG_UNBLOCK) return EINVAL;
    sigdelset(&next, SIGKILL);
    sigdelset(&next, SIGSTOP);
    if (!IsSame(before, next)) ReachSignalChange(scheduler, site);
    self->signal_mask = next;
    FollowInKernel(*self);
    DeliverSignals(scheduler);
  }
  if (old != nullptr) *old = before;
  return 0;
}

// The signal that came, or 0 with errno set.
int WaitFor(Scheduler* scheduler, const sigset_t* set, siginfo_t* info, const Deadline& deadline,
            std::uint64_t site) {
  TestCancel(scheduler);
  Thread* const self = scheduler->current();
  self->awaited_signals = *set;
  const Outcome outcome = ReachSignals(scheduler, {.kind = OpKind::kSigWait,
                                                   .second = ClockFor(scheduler, deadline),
                                                   .site = site,
                                                   .timed = deadline.is_set,
                                                   .deadline = deadline.at,
                                                   .interruptible = true});
  sigemptyset(&self->awaited_signals);
  Event* const event = scheduler->Record();
  const auto is_wanted = [set](int signal) { return sigismember(set, signal) == 1; };
  std::optional<siginfo_t> taken = self->signals.Take(is_wanted);
  if (!taken) taken = scheduler->process_signals().Take(is_wanted);
  if (taken) {
    ReconsiderSignals(scheduler);
    event->value = static_cast<std::uint64_t>(taken->si_signo);
    event->flags |= Event::kHasValue;
    if (info != nullptr) *info = *taken;
    return taken->si_signo;
  }
  event->flags |= outcome == Outcome::kTimeout ? Event::kTimedOut : Event::kFailed;
  if (outcome == kInterrupted) {
    TestCancel(scheduler);
    scheduler->Attend();
    errno = EINTR;
  } else {
    errno = EAGAIN;
  }
  return 0;
}

// Until a handler has run.
int AwaitHandler(Scheduler* scheduler, std::uint64_t site) {
  TestCancel(scheduler);
  ReachSignals(scheduler, {.kind = OpKind::kSigWait, .site = site, .interruptible = true});
  scheduler->Record();
  TestCancel(scheduler);
  scheduler->Attend();
  return Fail(EINTR);
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
using heddle::Thread;
namespace real = heddle::real;

HEDDLE_EXPORT int pthread_kill(pthread_t handle, int signal) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_kill(handle, signal);
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr) return ESRCH;
  if (signal < 0 || signal >= NSIG) return EINVAL;
  if (signal == 0) return 0;
  heddle::SendSignal(scheduler, target, heddle::InfoFor(signal, SI_TKILL), HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int pthread_sigqueue(pthread_t handle, int signal, const union sigval value) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_sigqueue(handle, signal, value);
  Thread* const target = scheduler->ThreadOf(handle);
  if (target == nullptr) return ESRCH;
  if (!heddle::IsSignal(signal)) return EINVAL;
  siginfo_t info = heddle::InfoFor(signal, SI_QUEUE);
  info.si_value = value;
  heddle::SendSignal(scheduler, target, info, HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int raise(int signal) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || !heddle::IsSignal(signal) || signal == SIGSTOP) {
    return real::raise(signal);
  }
  heddle::SendSignal(scheduler, scheduler->current(), heddle::InfoFor(signal, SI_TKILL),
                     HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int kill(pid_t process, int signal) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || process != getpid() || !heddle::IsSignal(signal) ||
      signal == SIGSTOP) {
    // The program knows itself by a number that is the same in every run.
    const bool is_itself = scheduler != nullptr && process == getpid();
    return real::kill(is_itself ? static_cast<pid_t>(heddle::RawSyscall(SYS_getpid)) : process,
                      signal);
  }
  heddle::SendSignal(scheduler, nullptr, heddle::InfoFor(signal, SI_USER), HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pthread_sigmask(how, set, old);
  return heddle::ChangeMask(scheduler, how, set, old, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sigprocmask(how, set, old);
  const int error = heddle::ChangeMask(scheduler, how, set, old, HEDDLE_CALLER);
  return error == 0 ? 0 : heddle::Fail(error);
}

HEDDLE_EXPORT int sigpending(sigset_t* set) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sigpending(set);
  real::sigpending(set);
  if (heddle::IsMarkerInUse()) sigdelset(set, heddle::kMarkerSignal);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (scheduler->current()->signals.Has(signal) || scheduler->process_signals().Has(signal)) {
      sigaddset(set, signal);
    }
  }
  return 0;
}

HEDDLE_EXPORT int sigwait(const sigset_t* set, int* signal) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sigwait(set, signal);
  int taken = 0;
  while (taken == 0) {
    taken = heddle::WaitFor(scheduler, set, nullptr, {}, HEDDLE_CALLER);  // EINTR: wait on
  }
  *signal = taken;
  return 0;
}

HEDDLE_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sigwaitinfo(set, info);
  const int taken = heddle::WaitFor(scheduler, set, info, {}, HEDDLE_CALLER);
  return taken == 0 ? -1 : taken;
}

HEDDLE_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sigtimedwait(set, info, time);
  if (time != nullptr && !heddle::IsValid(time)) return heddle::Fail(EINVAL);
  const heddle::Deadline deadline =
      time == nullptr ? heddle::Deadline() : heddle::DeadlineIn(scheduler, time, HEDDLE_CALLER);
  const int taken = heddle::WaitFor(scheduler, set, info, deadline, HEDDLE_CALLER);
  return taken == 0 ? -1 : taken;
}

HEDDLE_EXPORT int sigsuspend(const sigset_t* mask) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::sigsuspend(mask);
  Thread* const self = scheduler->current();
  const sigset_t before = self->signal_mask;
  self->signal_mask = *mask;
  if (!heddle::DeliverSignals(scheduler).any) heddle::AwaitHandler(scheduler, HEDDLE_CALLER);
  self->signal_mask = before;
  return heddle::Fail(EINTR);
}

HEDDLE_EXPORT int pause() {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::pause();
  return heddle::AwaitHandler(scheduler, HEDDLE_CALLER);
}
