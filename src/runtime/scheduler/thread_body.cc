#include "runtime/scheduler/thread_body.h"

#include <unwind.h>

#include <climits>
#include <cstdlib>

#include "base/check.h"
#include "runtime/engine.h"
#include "runtime/interpose/keys.h"
#include "runtime/interpose/mutex.h"
#include "runtime/interpose/real.h"
#include "runtime/scheduler/rules.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/worker/process.h"

namespace heddle {
namespace {

// Unwinding stops at the frame that started the thread: at or above its stack pointer.
_Unwind_Reason_Code StopAtTheBottom(int, _Unwind_Action actions, _Unwind_Exception_Class,
                                    _Unwind_Exception*, _Unwind_Context* context, void* argument) {
  auto* const thread = static_cast<Thread*>(argument);
  const bool at_end = (actions & _UA_END_OF_STACK) != 0;
  const std::uint64_t frame = _Unwind_GetCFA(context);
  // A clean-up handler of C lies in the frame that pushed it; it comes back by
  // __pthread_unwind_next.
  if (thread->cleanup != nullptr &&
      (at_end || frame > reinterpret_cast<std::uint64_t>(thread->cleanup))) {
    _longjmp(reinterpret_cast<__jmp_buf_tag*>(thread->cleanup), 1);
  }
  if (at_end || frame >= thread->shell->unwind_limit) _longjmp(thread->shell->over, 1);
  return _URC_NO_REASON;
}

[[gnu::noinline]] void RunDestructorsOf(Scheduler* scheduler, Thread* self) {
  std::vector<ThreadLocalDestructor>& destructors = self->at_end->destructors;
  while (!destructors.empty()) {
    const ThreadLocalDestructor next = destructors.back();
    destructors.pop_back();
    next.function(next.object);
  }
  RunKeyDestructors(self);
  AbandonRobustMutexes(scheduler);
}

}  // namespace

void RunThreadDestructors() {
  Scheduler* const scheduler = Scheduler::Get();
  Thread* const self = scheduler->current();
  if (self->at_end != nullptr) RunDestructorsOf(scheduler, self);
}

void* RunThread(void* argument) {
  auto* const thread = static_cast<Thread*>(argument);
  Scheduler::Get()->Start();
  return thread->routine(thread->argument);  // in its place: see Leave in switch/shell.cc
}

Shell* EndThread(void* argument, void* result) {
  Scheduler* const scheduler = engine.scheduler;
  auto* const self = static_cast<Thread*>(argument);
  if (__builtin_expect(self->at_end != nullptr, 0)) RunDestructorsOf(scheduler, self);
  // The last thread takes the process with it, like glibc's.
  if (scheduler->IsLastThread()) EndProcess(0, 0);
  if (Rules::Has(Rule::kEnds)) {
    scheduler->Reach({.kind = OpKind::kEnd, .object = self->object});
    scheduler->Record();
  }
  return scheduler->Finish(result);
}

void UnwindAndEnd(void* result) {
  Scheduler* const scheduler = Scheduler::Get();
  Thread* const self = scheduler->current();
  self->result = self->shell->result = result;
  static _Unwind_Exception exceptions[kMaxThreads];
  _Unwind_Exception* const exception = &exceptions[self->id];
  exception->exception_class = 0;  // foreign: catch (...) must rethrow it, as with glibc's
  exception->exception_cleanup = nullptr;
  _Unwind_ForcedUnwind(exception, StopAtTheBottom, self);
  HEDDLE_CHECK(!"forced unwinding came back");
  std::abort();
}

}  // namespace heddle
