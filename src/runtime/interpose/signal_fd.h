// signalfd: what is read there are the signals that are pending in the model for the thread that
// reads, or for the process.
//
// The descriptor is the system's own, so that poll, select and epoll know it, and signals from
// outside (a child's end) come there as ever. Whether the model has something in it for a thread
// the system is told before it is asked on behalf of that thread.
#ifndef HEDDLE_RUNTIME_INTERPOSE_SIGNAL_FD_H_
#define HEDDLE_RUNTIME_INTERPOSE_SIGNAL_FD_H_

#include <signal.h>
#include <sys/uio.h>

#include <cstdint>

#include "runtime/scheduler/scheduler.h"

namespace heddle {

bool IsSignalFd(int descriptor);
void NoteSignalFdCopy(int from, int to);
void ForgetSignalFd(int descriptor);  // it is closed
void ForgetSignalFds();               // between runs

// From here until others run the kernel finds each ready that has something for `thread`.
void ShowSignals(const Thread& thread);
// A signal was sent: who is told of changes only (EPOLLET) is told once more.
void NoteSignalSent(int signal);
// Whether the running thread would read signals of the model there.
bool HasSignals(int descriptor);

// read(2) on one of them.
long ReadSignals(Scheduler* scheduler, int descriptor, const iovec& into, std::uint64_t site);

// The signal by which the kernel is told: pending for good where it was needed once, and blocked.
inline constexpr int kMarkerSignal = SIGURG;  // by default it does nothing
bool IsMarkerInUse();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_SIGNAL_FD_H_
