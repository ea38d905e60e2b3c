// Signals that the program sends to itself: kept in the model and delivered at scheduling points.
#ifndef HEDDLE_RUNTIME_INTERPOSE_SIGNAL_DELIVERY_H_
#define HEDDLE_RUNTIME_INTERPOSE_SIGNAL_DELIVERY_H_

#include <signal.h>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

// What operations on signals act on: all descriptors, once the run has a signalfd. Signals are then
// something that is read, and that poll and its relatives find.
Object* SignalsObject();
void ActOnSignalsAsBytes(Scheduler* scheduler);
void ActOnSignalsAlone();  // between runs

// Announces one; the object is ours to say.
Outcome ReachSignals(Scheduler* scheduler, Reaching what);
// ... that changes what happens to signals: one that another thread sends arrives before or after.
void ReachSignalChange(Scheduler* scheduler, std::uint64_t site);
// Signals came or were taken: whoever waits asks again.
void ReconsiderSignals(Scheduler* scheduler);

// `info` for `target`; nullptr: for whichever thread does not block it, or the process.
void SendSignal(Scheduler* scheduler, Thread* target, const siginfo_t& info, std::uint64_t site);
// ... once its kKill is reached. To whom it went; nullptr: nobody wants it so far.
Thread* SendReached(Scheduler* scheduler, Thread* target, const siginfo_t& info);

// One that the system sent (a child has ended): to the first thread that does not block it.
void ReceiveFromSystem(Scheduler* scheduler, const siginfo_t& info);
// Those that come from there to a handler of the program's, a bit each.
std::uint64_t SignalsOfSystem();

// Whoever it is delivered to: nobody handles or ignores it.
bool WouldEndProgram(int signal);

// Runs the handlers of what is pending for the calling thread and not blocked.
Delivered DeliverSignals(Scheduler* scheduler);

void ForgetSignalStacks();  // of threads, between runs (sigaltstack)

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_SIGNAL_DELIVERY_H_
