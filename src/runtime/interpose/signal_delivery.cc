#include "runtime/interpose/signal_delivery.h"

#include <ucontext.h>

#include <cerrno>

#include "runtime/engine.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signal_fd.h"
#include "runtime/scheduler/failure.h"
#include "runtime/worker/crash.h"

namespace heddle {
namespace {

bool are_bytes = false;  // there is, or was, a signalfd in this run

Object* SignalsAlone() {
  constexpr std::uint64_t kSignalsKey = 3;
  return Objects::Named(ObjectKind::kSignals, kSignalsKey);
}

struct sigaction ActionOf(int signal) {
  if (IsKeptSignal(signal)) return *ProgramsAction(signal);
  struct sigaction action = {};
  real::sigaction(signal, nullptr, &action);
  return action;
}

bool IsIgnoredByDefault(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

[[noreturn]] void DieOf(Scheduler* scheduler, int signal) {
  Failure failure;
  failure.kind = FailureKind::kCrash;
  failure.signal = signal;
  failure.thread = scheduler->current()->id;
  FailRun(failure);
}

void Deliver(Scheduler* scheduler, siginfo_t info, Delivered* delivered) {
  Thread* const self = scheduler->current();
  const int signal = info.si_signo;
  const struct sigaction action = ActionOf(signal);
  const bool is_ignored =
      action.sa_handler == SIG_IGN || (action.sa_handler == SIG_DFL && IsIgnoredByDefault(signal));
  if (is_ignored) return;
  if (action.sa_handler == SIG_DFL) DieOf(scheduler, signal);
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    sigaction(signal, &reset, nullptr);
  }
  const SignalMask before = self->signal_mask;
  sigset_t during = before;
  sigorset(&during, &during, &action.sa_mask);
  if ((action.sa_flags & SA_NODEFER) == 0) sigaddset(&during, signal);
  self->signal_mask = during;
  scheduler->RecordDirectly(OpKind::kHandler, SignalsObject(), 0)->value =
      static_cast<std::uint64_t>(signal);
  const int error = errno;
  ++self->handlers;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    ucontext_t context = {};
    action.sa_sigaction(signal, &info, &context);
  } else {
    action.sa_handler(signal);
  }
  errno = error;
  self->signal_mask = before;
  --self->handlers;
  self->events_at_handlers_end = self->events;
  delivered->any = true;
  if ((action.sa_flags & SA_RESTART) == 0) delivered->fails_calls = true;
}

// Any thread that does not block it: which one is a decision.
Thread* WhoTakes(Scheduler* scheduler, int signal) {
  constexpr std::size_t kMost = 64;
  std::uint64_t threads[kMost];
  std::uint32_t nothing_else[kMost] = {};  // tells them apart
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < scheduler->thread_count() && count < kMost; ++i) {
    const Thread* const thread = scheduler->ThreadById(static_cast<ThreadId>(i));
    if (!thread->ended && !thread->signal_mask.Has(signal)) threads[count++] = i + 1;
  }
  if (count == 0) return nullptr;
  const std::uint32_t which =
      count == 1 ? 0 : scheduler->ChooseMessage(threads, nothing_else, count);
  return scheduler->ThreadById(static_cast<ThreadId>(threads[which] - 1));
}

}  // namespace

Object* SignalsObject() { return are_bytes ? IoObject() : SignalsAlone(); }

void ActOnSignalsAsBytes(Scheduler* scheduler) {
  if (are_bytes) return;
  are_bytes = true;
  scheduler->ActOnInstead(SignalsAlone(), IoObject());
}

void ActOnSignalsAlone() { are_bytes = false; }

Outcome ReachSignals(Scheduler* scheduler, Reaching what) {
  what.object = SignalsObject();
  const Outcome outcome = scheduler->Reach(what);
  if (what.object != SignalsObject()) scheduler->ReachedInstead(SignalsObject());
  return outcome;
}

void ReachSignalChange(Scheduler* scheduler, std::uint64_t site) {
  if (scheduler->is_alone()) return;
  ReachSignals(scheduler, {.kind = OpKind::kAnnotation, .site = site});
  scheduler->Record();
}

void ReconsiderSignals(Scheduler* scheduler) {
  scheduler->Reconsider(SignalsAlone());
  if (are_bytes) scheduler->Reconsider(IoObject());
}

bool WouldEndProgram(int signal) {
  return ActionOf(signal).sa_handler == SIG_DFL && !IsIgnoredByDefault(signal);
}

void SendSignal(Scheduler* scheduler, Thread* target, const siginfo_t& info, std::uint64_t site) {
  ReachSignals(scheduler, {.kind = OpKind::kKill, .site = site});
  SendReached(scheduler, target, info);
}

Thread* SendReached(Scheduler* scheduler, Thread* target, const siginfo_t& info) {
  Event* const event = scheduler->Record();
  event->value = static_cast<std::uint64_t>(info.si_signo);
  event->flags |= Event::kHasValue;
  NoteSignalSent(info.si_signo);
  if (target == nullptr) target = WhoTakes(scheduler, info.si_signo);
  if (target != nullptr) event->other = target->id;  // too late or not: whom it was meant for
  if (target == nullptr) {
    scheduler->process_signals().Add(info);
  } else if (!target->ended) {
    scheduler->recorder().Aimed(*scheduler->current(), *target);
    target->signals.Add(info);
    if (!target->signal_mask.Has(info.si_signo)) {
      target->needs_attention = true;
      scheduler->Interrupt(target, /*at_any_operation=*/true);
    }
  }
  ReconsiderSignals(scheduler);
  if (target == scheduler->current()) DeliverSignals(scheduler);
  return target;
}

void ReceiveFromSystem(Scheduler* scheduler, const siginfo_t& info) {
  for (std::size_t i = 0; i < scheduler->thread_count(); ++i) {
    Thread* const thread = scheduler->ThreadById(static_cast<ThreadId>(i));
    if (thread->ended || thread->signal_mask.Has(info.si_signo)) continue;
    thread->signals.Add(info);
    thread->needs_attention = true;
    scheduler->InterruptWaiting(thread);
    return;
  }
  scheduler->process_signals().Add(info);
  ReconsiderSignals(scheduler);
}

std::uint64_t SignalsOfSystem() {
  std::uint64_t all = 0;
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    if (IsKeptSignal(signal) || signal == SIGKILL || signal == SIGSTOP) continue;
    struct sigaction action = {};
    if (real::sigaction(signal, nullptr, &action) != 0) continue;
    const bool is_handled = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
    if (is_handled) all |= std::uint64_t{1} << (signal - 1);
  }
  return all;
}

Delivered DeliverSignals(Scheduler* scheduler) {
  Thread* const self = scheduler->current();
  Delivered delivered;
  const auto is_wanted = [self](int signal) { return !self->signal_mask.Has(signal); };
  for (;;) {
    std::optional<siginfo_t> info = self->signals.Take(is_wanted);
    if (!info) info = scheduler->process_signals().Take(is_wanted);
    if (!info) return delivered;
    ReconsiderSignals(scheduler);
    Deliver(scheduler, *info, &delivered);
  }
}

}  // namespace heddle
