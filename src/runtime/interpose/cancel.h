// Cancellation, and whatever else reaches a thread from outside: what a thread attends to when it
// next has a scheduling point.
#ifndef HEDDLE_RUNTIME_INTERPOSE_CANCEL_H_
#define HEDDLE_RUNTIME_INTERPOSE_CANCEL_H_

#include "runtime/scheduler/scheduler.h"

namespace heddle {

// The calling thread is at a cancellation point: ends here if it was cancelled and lets itself be.
void TestCancel(Scheduler* scheduler);

// Whether it would.
bool CancelIsDue(const Thread& thread);

// Ends the calling thread if it is cancelled asynchronously.
void TestAsyncCancel(Scheduler* scheduler);

// After an interruptible operation returned kInterrupted: records it as failed, ends the thread if
// it was cancelled, runs handlers. `found`: how many there are of what it waits for.
Delivered AttendToInterruption(Scheduler* scheduler, std::uint64_t found = 0);
// The same. True: the call is to fail with EINTR; otherwise it is made again.
bool InterruptsCall(Scheduler* scheduler, std::uint64_t found = 0);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_CANCEL_H_
