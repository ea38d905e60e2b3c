// The beginning and the end of the process: main, exit in all its forms, failed assertions, fork.
#include "runtime/worker/process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "runtime/engine.h"
#include "runtime/interpose/children.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/thread_body.h"
#include "runtime/worker/crash.h"
#include "runtime/worker/server.h"
#include "runtime/worker/start.h"

namespace heddle {
namespace {

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

// main() for whoever may leave it by pthread_exit: its frame is where unwinding ends.
[[gnu::noinline]] int CallMain(int argc, char** argv, char** environment) {
  return program_main(argc, argv, environment);
}

int MainUnderControl(int argc, char** argv, char** environment) {
  if (engine.scheduler == nullptr || engine.channel->config.serve_late == 0) {
    ServeBeforeFirstThread();
  } else {
    ServeAtStart(engine.channel->config.start_offset);
  }
  Scheduler* const scheduler = Scheduler::Get();
  if (scheduler == nullptr) return program_main(argc, argv, environment);
  engine.channel->started_main = 1;
  Thread* const self = scheduler->current();
  self->shell->unwind_limit = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (_setjmp(self->shell->over) == 0) {
    const int status = CallMain(argc, argv, environment);
    if (Scheduler::Get() == nullptr) return status;  // a child that the program forked
    EndProcess(status, 0);
  }
  // pthread_exit from main: the other threads go on, the last one ends the process.
  RunThreadDestructors();
  if (!scheduler->IsLastThread()) {
    scheduler->FinishMain();
  }
  EndProcess(0, 0);
}

struct ForkHandlers {
  void (*prepare)();
  void (*parent)();
  void (*child)();
};
std::vector<ForkHandlers>* fork_handlers = nullptr;

void AddForkHandlers(const ForkHandlers& handlers) {
  if (fork_handlers == nullptr) fork_handlers = new std::vector<ForkHandlers>();
  fork_handlers->push_back(handlers);
}

enum class ForkMoment : std::uint8_t { kBefore, kInParent, kInChild };

// Before the fork the last registered comes first, after it the first.
void RunForkHandlers(ForkMoment moment) {
  const std::size_t count = fork_handlers == nullptr ? 0 : fork_handlers->size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool before = moment == ForkMoment::kBefore;
    const ForkHandlers& one = (*fork_handlers)[before ? count - 1 - i : i];
    void (*const handler)() =
        before ? one.prepare : (moment == ForkMoment::kInParent ? one.parent : one.child);
    if (handler != nullptr) handler();
  }
}

}  // namespace
}  // namespace heddle

using heddle::Scheduler;
namespace real = heddle::real;

HEDDLE_EXPORT int __libc_start_main(heddle::Main main, int argc, char** argv, void (*init)(),
                                    void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(heddle::Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  static const auto next = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  heddle::program_main = main;
  return next(heddle::MainUnderControl, argc, argv, init, fini, rtld_fini, stack_end);
}

HEDDLE_EXPORT void exit(int status) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) {
    if (real::exit == nullptr) heddle::Boot();
    real::exit(status);
    __builtin_unreachable();
  }
  heddle::EndProcess(status, HEDDLE_CALLER);
}

HEDDLE_EXPORT void quick_exit(int status) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) heddle::NoteQuickExit(status, HEDDLE_CALLER);
  real::quick_exit(status);
  __builtin_unreachable();
}

HEDDLE_EXPORT void _exit(int status) {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) heddle::NoteQuickExit(status, HEDDLE_CALLER);
  real::_exit(status);
  __builtin_unreachable();
}

HEDDLE_EXPORT void _Exit(int status) { _exit(status); }

HEDDLE_EXPORT void __assert_fail(const char* expression, const char* file, unsigned line,
                                 const char* function) noexcept {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler != nullptr) heddle::NoteAssertion(expression, file, line, function);
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line,
          function == nullptr ? "?" : function, expression);
  fflush(nullptr);
  abort();
}

// What pthread_atfork of libc_nonshared.a calls. The handlers are the program's: they are run under
// the scheduler, because they take locks, so libc must not know of them.
HEDDLE_EXPORT int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(),
                                    void* module) {
  using Register = int (*)(void (*)(), void (*)(), void (*)(), void*);
  static const auto next = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__register_atfork"));
  if (Scheduler::OfThisThread() == nullptr) return next(prepare, parent, child, module);
  heddle::AddForkHandlers({prepare, parent, child});
  return 0;
}

// A child that the program forks runs natively: only the run itself is explored.
HEDDLE_EXPORT pid_t fork() {
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return real::fork();
  scheduler->Uncontrolled("fork", "the child process runs natively, outside heddle's control",
                          HEDDLE_CALLER);
  heddle::RunForkHandlers(heddle::ForkMoment::kBefore);
  heddle::ForgetInside();
  pid_t child;
  {
    const heddle::EngineScope scope;
    child = real::fork();
  }
  if (child == 0) heddle::BecomeDormant();
  heddle::ChildStarted(child);
  heddle::RunForkHandlers(child == 0 ? heddle::ForkMoment::kInChild
                                     : heddle::ForkMoment::kInParent);
  return child;
}
