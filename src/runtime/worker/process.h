// How the process under test ends in the ordinary way: exit, return from main, the last
// pthread_exit.
#ifndef HEDDLE_RUNTIME_WORKER_PROCESS_H_
#define HEDDLE_RUNTIME_WORKER_PROCESS_H_

#include <cstdint>

namespace heddle {

// Once, at boot: the status given to exit() is noted after the program's own handlers ran.
void WatchProcessExit();

// The running thread is about to end the process, or the body that is all of it: a scheduling point
// that depends on whatever the others do.
void ReachEnd(int status, std::uint64_t site);

// exit(status) by the running thread: a scheduling point, then thread-local destructors, exit
// handlers (other threads may still run meanwhile, as they may natively), then the end.
[[noreturn]] void EndProcess(int status, std::uint64_t site);

// quick_exit or _exit(status): the end, a scheduling point like any other.
void NoteQuickExit(int status, std::uint64_t site);

// The run's ordinary end, into the channel, once.
void PublishExit(int status);

// In a process that the program itself forked: natively from here on.
void BecomeDormant();
// Libraries that were there before heddle are torn down after it. What then waits for a thread of
// the program waits for ever, since nobody lets it go on: the process ends instead, as it was about
// to.
bool RunIsOver();
void EndIfRunIsOver();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_PROCESS_H_
