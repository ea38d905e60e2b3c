#include "runtime/worker/crash.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <typeinfo>
#include <utility>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/real.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/modules.h"
#include "runtime/scheduler/failure.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/scheduler/stacks.h"
#include "runtime/scheduler/unseen_loops.h"
#include "runtime/scheduler/unseen_wait.h"
#include "runtime/worker/timestamp.h"

namespace heddle {
namespace {

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
constexpr std::size_t kSignalStack = 64 * 1024;
constexpr std::uint64_t kFrameReach = 64 * 1024;  // of accesses to a frame, below its stack pointer
constexpr std::uint64_t kPage = 4096;

struct sigaction programs_actions[65];  // by signal
Failure assertion;                      // filled by NoteAssertion, kNone otherwise

// The type of the exception that nobody caught, if that is why the program aborts: the C++
// library's terminate handler runs while the exception counts as caught.
const char* UncaughtExceptionType() {
  using CurrentType = std::type_info* (*)();
  static const auto current =
      reinterpret_cast<CurrentType>(dlsym(RTLD_DEFAULT, "__cxa_current_exception_type"));
  const std::type_info* const type = current == nullptr ? nullptr : current();
  return type == nullptr ? nullptr : type->name();
}

bool IsInTerminate() {
  std::uint64_t frames[kMostFrames];
  const std::uint32_t count = CaptureStack(frames, kMostFrames);
  for (std::uint32_t i = 0; i < count; ++i) {
    Dl_info symbol;
    if (dladdr(reinterpret_cast<void*>(frames[i] - 1), &symbol) == 0) continue;
    if (symbol.dli_sname != nullptr && std::strcmp(symbol.dli_sname, "_ZSt9terminatev") == 0) {
      return true;
    }
  }
  return false;
}

// A thread of this thread's making that nobody joined or detached: if std::terminate was called
// without an exception, by a destructor or an assignment of std::thread.
const Thread* JoinableChild() {
  const Scheduler* const scheduler = Scheduler::Get();
  for (std::size_t i = 1; i < scheduler->thread_count(); ++i) {
    const Thread* const thread = scheduler->ThreadById(static_cast<ThreadId>(i));
    if (thread->parent == scheduler->current()->id && !thread->joined && !thread->detached) {
      return thread;
    }
  }
  return nullptr;
}

void Describe(int signal, const siginfo_t* info, Failure* failure) {
  failure->signal = signal;
  failure->thread = Scheduler::Get()->current()->id;
  failure->address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (signal == SIGABRT) {
    if (assertion.kind != FailureKind::kNone) {
      const ThreadId thread = failure->thread;
      *failure = std::exchange(assertion, Failure());
      failure->thread = thread;
      failure->signal = signal;
      return;
    }
    failure->address = 0;
    const char* const type = UncaughtExceptionType();
    if (type != nullptr) {
      failure->kind = FailureKind::kException;
      SetText(failure->message, sizeof failure->message, type);
      return;
    }
    const Thread* const joinable = JoinableChild();
    if (joinable != nullptr && IsInTerminate()) {
      failure->kind = FailureKind::kMisuse;
      SetText(failure->message, sizeof failure->message,
              "a joinable std::thread was destroyed or assigned to");
      failure->object = joinable->object->id;
      return;
    }
  }
  failure->kind = FailureKind::kCrash;
}

// A call of what is no code faults where it arrives, and no stack can be walked from there: what
// matters is the call. True: the context is the caller's now.
bool StepBackToCall(const siginfo_t* info, greg_t* registers) {
  const auto pc = static_cast<std::uint64_t>(registers[REG_RIP]);
  if (reinterpret_cast<std::uint64_t>(info->si_addr) != pc || Modules::IndexOf(pc) >= 0) {
    return false;
  }
  const auto* const top = reinterpret_cast<const std::uint64_t*>(registers[REG_RSP]);
  if (Modules::IndexOf(*top) < 0) return false;
  registers[REG_RIP] = static_cast<greg_t>(*top - 1);  // within the call
  registers[REG_RSP] += sizeof *top;
  return true;
}

// What lies so near the stack pointer can always be accessed, unless the stack has no more room.
bool IsOverflow(const siginfo_t* info, const greg_t* registers) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  const auto stack_pointer = static_cast<std::uint64_t>(registers[REG_RSP]);
  return address + kFrameReach >= stack_pointer && address < stack_pointer + kPage;
}

// What the fault says beyond its address.
void DescribeFault(const siginfo_t* info, void* context, Failure* failure) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (StepBackToCall(info, registers)) {
    SetText(failure->message, sizeof failure->message, "it is called as a function");
  } else if (IsOverflow(info, registers)) {
    SetText(failure->message, sizeof failure->message, "stack overflow");
  }
}

// The program's own handler, if it has one, comes first; a handler that returns from a fault, or
// jumps out of it, was no crash.
bool HandledByProgram(int signal, siginfo_t* info, void* context) {
  const struct sigaction& action = programs_actions[signal];
  if (action.sa_handler == SIG_DFL) return false;
  if (action.sa_handler == SIG_IGN) return signal != SIGABRT && info->si_code <= 0;
  const struct sigaction handler = action;
  if ((handler.sa_flags & SA_RESETHAND) != 0) programs_actions[signal] = {};
  if ((handler.sa_flags & SA_SIGINFO) != 0) {
    handler.sa_sigaction(signal, info, context);
  } else {
    handler.sa_handler(signal);
  }
  // Returning from abort's signal does not save the program; nor from a fault whose handler gave
  // up.
  return signal != SIGABRT && programs_actions[signal].sa_handler != SIG_DFL;
}

void OnFatalSignal(int signal, siginfo_t* info, void* context) {
  if (signal == SIGILL && UnseenLoops::Answer(context)) return;
  if (signal == SIGTRAP && UnseenLoops::Step(context)) return;
  if (engine.scheduler == nullptr) {  // a child that the program forked: natively
    real::signal(signal, SIG_DFL);
    RawSyscall(SYS_tkill, RawSyscall(SYS_gettid), signal);
    return;
  }
  if (signal == SIGSEGV && info->si_code == SI_KERNEL && AnswerTimestampCounter(context)) return;
  if (HandledByProgram(signal, info, context)) return;
  engine.hot.active = 0;
  static Failure failure;  // static: the stack may be the problem
  failure = Failure();
  failure.before_main = engine.channel->started_main == 0;
  Describe(signal, info, &failure);
  if (signal == SIGSEGV && info->si_code > 0) DescribeFault(info, context, &failure);
  FailRun(failure);
}

// A signal like those that threads send to each other, to who writes.
void OnBrokenPipe(int signal, siginfo_t* info, void*) {
  if (engine.scheduler == nullptr) {  // a child that the program forked: natively
    real::sigaction(signal, &programs_actions[signal], nullptr);
    RawSyscall(SYS_tkill, RawSyscall(SYS_gettid), signal);
    return;
  }
  Thread* const self = Scheduler::Get()->current();
  siginfo_t told = *info;
  told.si_pid = getpid();
  const EngineScope scope;
  self->signals.Add(told);
  self->needs_attention = self->needs_attention || !self->signal_mask.Has(signal);
}

void OnWatchdog(int, siginfo_t*, void* context) {
  if (engine.scheduler == nullptr) return;
  if (engine.channel->killed_by_watchdog.load() == 0) {
    UnseenLoops::Ask(context);
    return UnseenWait::Ask(&engine.hot);
  }
  engine.hot.active = 0;
  static Failure failure;
  failure = Failure();
  failure.kind = FailureKind::kWatchdog;
  failure.thread = Scheduler::Get()->current()->id;
  FailRun(failure);
}

void Handle(int signal, void (*handler)(int, siginfo_t*, void*), int stack = SA_ONSTACK) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | stack | SA_NODEFER | SA_RESTART;
  real::sigaction(signal, &action, nullptr);
}

}  // namespace

bool IsFatalSignal(int signal) {
  for (const int fatal : kFatal) {
    if (fatal == signal) return true;
  }
  return false;
}

bool IsKeptSignal(int signal) { return signal == SIGPIPE || IsFatalSignal(signal); }

// One that is ignored stays so in programs that this one starts.
void FollowBrokenPipeAction() {
  if (programs_actions[SIGPIPE].sa_handler == SIG_IGN) {
    real::signal(SIGPIPE, SIG_IGN);
  } else {
    Handle(SIGPIPE, OnBrokenPipe);
  }
}

struct sigaction* ProgramsAction(int signal) {
  return &programs_actions[signal];
}

int WatchdogSignal() { return SIGRTMAX - 3; }

void UseSignalStack() {
  stack_t stack = {};
  stack.ss_sp = ArenaAllocate(kSignalStack);
  stack.ss_size = kSignalStack;
  RawSyscall(SYS_sigaltstack, reinterpret_cast<long>(&stack), 0);
}

void TakeTrapsOnOwnStack(bool is_own) { Handle(SIGILL, OnFatalSignal, is_own ? 0 : SA_ONSTACK); }

void InstallCrashHandlers() {
  UseSignalStack();
  for (const int signal : kFatal) Handle(signal, OnFatalSignal);
  Handle(WatchdogSignal(), OnWatchdog);
  real::sigaction(SIGPIPE, nullptr, &programs_actions[SIGPIPE]);
  FollowBrokenPipeAction();
}

void NoteAssertion(const char* expression, const char* file, unsigned line, const char* function) {
  assertion.kind = FailureKind::kAssertion;
  assertion.line = line;
  SetText(assertion.file, sizeof assertion.file, file == nullptr ? "" : file);
  SetText(assertion.function, sizeof assertion.function, function == nullptr ? "" : function);
  SetText(assertion.message, sizeof assertion.message, expression == nullptr ? "" : expression);
}

}  // namespace heddle
