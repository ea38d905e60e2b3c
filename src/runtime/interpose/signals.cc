// sigaction and signal for the signals that heddle itself handles: the program's handler is kept
// and called first; only what it would not survive is a crash.
#include <cerrno>
#include <csignal>
#include <vector>

#include "runtime/engine.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signal_delivery.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/worker/crash.h"

namespace heddle {
namespace {

// Boots if need be: a constructor may install handlers before anything else happens.
bool IsKept(int signal) {
  Boot();
  return engine.scheduler != nullptr && IsKeptSignal(signal);
}

// Stacks for handlers, by thread. They are only kept: handlers run on the stack of their thread.
// The system's one is ours, for crashes; it has one per kernel thread, on which many of the
// program's may run.
std::vector<stack_t>* stacks = nullptr;

stack_t* StackOf(const Scheduler* scheduler) {
  const ThreadId self = scheduler->current()->id;
  constexpr stack_t kNone = {nullptr, SS_DISABLE, 0};
  if (stacks == nullptr) stacks = new std::vector<stack_t>();
  if (stacks->size() <= self) stacks->resize(self + 1u, kNone);
  return &(*stacks)[self];
}

int Fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

void ForgetSignalStacks() {
  if (stacks != nullptr) stacks->clear();
}

}  // namespace heddle

namespace real = heddle::real;

HEDDLE_EXPORT int sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  if (!heddle::IsKept(signal)) return real::sigaction(signal, action, old);
  struct sigaction* const mine = heddle::ProgramsAction(signal);
  const struct sigaction before = *mine;
  if (action != nullptr) *mine = *action;
  if (action != nullptr && signal == SIGPIPE) heddle::FollowBrokenPipeAction();
  if (old != nullptr) *old = before;
  return 0;
}

HEDDLE_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  const heddle::Scheduler* const scheduler = heddle::Scheduler::OfThisThread();
  if (scheduler == nullptr) return HEDDLE_NEXT(sigaltstack)(stack, old);
  stack_t* const mine = heddle::StackOf(scheduler);
  const stack_t before = *mine;
  if (stack != nullptr) {
    constexpr int kAutoDisarm = 1 << 31;
    const int mode = stack->ss_flags & ~kAutoDisarm;
    if (mode != 0 && mode != SS_DISABLE && mode != SS_ONSTACK) return heddle::Fail(EINVAL);
    const bool is_disabled = mode == SS_DISABLE;
    if (!is_disabled && stack->ss_size < static_cast<std::size_t>(MINSIGSTKSZ))
      return heddle::Fail(ENOMEM);
    *mine = is_disabled ? stack_t{nullptr, SS_DISABLE, 0} : *stack;
    mine->ss_flags &= ~SS_ONSTACK;
  }
  if (old != nullptr) *old = before;
  return 0;
}

HEDDLE_EXPORT sighandler_t signal(int number, sighandler_t handler) {
  if (!heddle::IsKept(number)) return real::signal(number, handler);
  struct sigaction* const mine = heddle::ProgramsAction(number);
  const sighandler_t before = mine->sa_handler;
  *mine = {};
  mine->sa_handler = handler;
  mine->sa_flags = SA_RESTART;
  if (number == SIGPIPE) heddle::FollowBrokenPipeAction();
  return before;
}
