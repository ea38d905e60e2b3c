// The beginning and the end of the process: main, exit in all its forms, failed assertions, fork.
#include "runtime/worker/process.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <cstdarg>
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
#include "runtime/worker/timestamp.h"
#include "trace/unseen_thread.h"

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

// clone() as the program called it.
struct CloneCall {
  int (*function)(void*);
  void* stack;
  int flags;
  void* argument;
  void* parent_number;
  void* thread_locals;
  void* child_number;
};

int CloneNatively(const CloneCall& call, int (*function)(void*), void* argument) {
  using Clone = int (*)(int (*)(void*), void*, int, void*, ...);
  static const auto next = reinterpret_cast<Clone>(dlsym(RTLD_NEXT, "clone"));
  return next(function, call.stack, call.flags, argument, call.parent_number, call.thread_locals,
              call.child_number);
}

// The copy begins here, on the stack that it was given.
int RunCopy(void* how) {
  BecomeDormant();
  const auto* const call = static_cast<const CloneCall*>(how);
  return call->function(call->argument);
}

}  // namespace

pid_t CopyProcess(const char* call, std::uint64_t site, long (*make)(const void*),
                  const void* how) {
  Scheduler::Get()->Uncontrolled(call, "the child process runs natively, outside heddle's control",
                                 site);
  ForgetInside();
  pid_t child;
  {
    const EngineScope scope;
    child = static_cast<pid_t>(make(how));
  }
  if (child == 0) BecomeDormant();
  ChildStarted(child);
  return child;
}

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
  heddle::RunForkHandlers(heddle::ForkMoment::kBefore);
  const pid_t child = heddle::CopyProcess(
      "fork", HEDDLE_CALLER, [](const void*) { return long{real::fork()}; }, nullptr);
  heddle::RunForkHandlers(child == 0 ? heddle::ForkMoment::kInChild
                                     : heddle::ForkMoment::kInParent);
  return child;
}

// What shares the memory is a thread, and its schedule is nobody's; anything else is a copy.
HEDDLE_EXPORT int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) {
  heddle::CloneCall call = {function, stack, flags, argument, nullptr, nullptr, nullptr};
  va_list rest;
  va_start(rest, argument);
  call.parent_number = va_arg(rest, void*);
  call.thread_locals = va_arg(rest, void*);
  call.child_number = va_arg(rest, void*);
  va_end(rest);
  Scheduler* const scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return heddle::CloneNatively(call, function, argument);
  if ((flags & CLONE_VM) == 0) {
    // GoogleTest: the child begins at main, and is told which death test of its process it is.
    if (heddle::engine.makes_more_runs) {
      heddle::engine.channel->search_report.leaks_state = heddle::kCloned;
    }
    return heddle::CopyProcess(
        "clone", HEDDLE_CALLER,
        [](const void* how) {
          auto* const copied = static_cast<const heddle::CloneCall*>(how);
          return long{heddle::CloneNatively(*copied, heddle::RunCopy, const_cast<void*>(how))};
        },
        &call);
  }
  scheduler->Uncontrolled("clone", heddle::kStartsUnseenThread, HEDDLE_CALLER);
  // It inherits the trap, and has the descriptors.
  heddle::FreeTimestampCounter();
  heddle::ForgetInside();
  return heddle::CloneNatively(call, function, argument);
}
