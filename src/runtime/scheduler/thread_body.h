// What runs at the bottom of every application thread's stack.
#ifndef HEDDLE_RUNTIME_SCHEDULER_THREAD_BODY_H_
#define HEDDLE_RUNTIME_SCHEDULER_THREAD_BODY_H_

#include "runtime/scheduler/thread.h"

namespace heddle {

// Shell::run and Shell::end of a Thread.
void* RunThread(void* thread);
Shell* EndThread(void* thread, void* result);

// thread_local destructors, then destructors of thread-specific data, of the running thread.
void RunThreadDestructors();

// pthread_exit: unwinds the calling thread's stack, running destructors and clean-up handlers, and
// ends it.
[[noreturn]] void UnwindAndEnd(void* result);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_THREAD_BODY_H_
