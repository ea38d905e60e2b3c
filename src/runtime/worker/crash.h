// Fatal signals of the program under test: what happened, where, in which thread.
#ifndef HEDDLE_RUNTIME_WORKER_CRASH_H_
#define HEDDLE_RUNTIME_WORKER_CRASH_H_

#include <signal.h>

#include <cstdint>

namespace heddle {

void InstallCrashHandlers();
// Signals are taken on a stack of their own; one per kernel thread (baton).
void UseSignalStack();

// Whether SIGILL is taken on the stack of who causes it: its handler may then let others go on
// (scheduler/unseen_loops.h).
void TakeTrapsOnOwnStack(bool is_own);

// Signals whose handler is heddle's; what the program would have installed is kept beside.
bool IsFatalSignal(int signal);
// Those, and SIGPIPE: the system sends it to the kernel thread that writes, but it is the mask of
// the program's thread that decides.
bool IsKeptSignal(int signal);
struct sigaction* ProgramsAction(int signal);
// The program has set what is to be done about SIGPIPE.
void FollowBrokenPipeAction();

// __assert_fail was called: the SIGABRT that follows is this assertion.
void NoteAssertion(const char* expression, const char* file, unsigned line, const char* function);

// The signal that makes a stuck run say where it is, sent by the controller.
int WatchdogSignal();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_CRASH_H_
