// Signals that the program sends to itself: kept in the model and delivered at scheduling points.
#ifndef HEDDLE_RUNTIME_INTERPOSE_SIGNAL_DELIVERY_H_
#define HEDDLE_RUNTIME_INTERPOSE_SIGNAL_DELIVERY_H_

#include <signal.h>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

Object* SignalsObject();

// `info` for `target`; nullptr: for whichever thread does not block it, or the process.
void SendSignal(Scheduler* scheduler, Thread* target, const siginfo_t& info, std::uint64_t site);
// ... once its kKill is reached. To whom it went; nullptr: nobody wants it so far.
Thread* SendReached(Scheduler* scheduler, Thread* target, const siginfo_t& info);

// Whoever it is delivered to: nobody handles or ignores it.
bool WouldEndProgram(int signal);

// Runs the handlers of what is pending for the calling thread and not blocked.
Delivered DeliverSignals(Scheduler* scheduler);

void ForgetSignalStacks();  // of threads, between runs (sigaltstack)

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_SIGNAL_DELIVERY_H_
