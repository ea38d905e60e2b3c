// sigaction and signal for the signals that heddle itself handles: the program's handler is kept
// and called first; only what it would not survive is a crash.
#include <cerrno>
#include <csignal>

#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/worker/crash.h"

namespace heddle {
namespace {

// Boots if need be: a constructor may install handlers before anything else happens.
bool IsKept(int signal) {
  Boot();
  return engine.scheduler != nullptr && IsKeptSignal(signal);
}

}  // namespace
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
