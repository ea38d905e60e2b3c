// Waiting for descriptors: pipes, sockets, eventfd, timerfd, epoll.
//
// A blocked thread is one whose descriptors are not ready; every operation on descriptors in the
// program asks again. So both ends inside the program make it deterministic. Where the other end
// may be outside and nobody in the program can go on, the run waits for it in real time, and says
// so.
#ifndef HEDDLE_RUNTIME_INTERPOSE_IO_WAIT_H_
#define HEDDLE_RUNTIME_INTERPOSE_IO_WAIT_H_

#include "runtime/interpose/deadline.h"
#include "runtime/scheduler/scheduler.h"

namespace heddle {

// What all operations on descriptors act on. Where it is not known who is at the other end, none
// commute; those on channels (interpose/ports.h) share it with others of the kind.
Object* IoObject();

// Whether operations on it can make a thread wait, or go on: not for files and terminals.
bool IsChannel(int descriptor);
bool IsNonBlocking(int descriptor);

// Whether what the program makes and gives up is to be noted. Natively, as in a test before its
// Explore, only as long as it has no threads: side by side they would write into our tables.
bool KeepsNotes();

// Descriptors that nobody outside the process can have: made by pipe, socketpair, eventfd, timerfd.
void SetInside(int descriptor, bool is_inside);
bool IsInside(int descriptor);
void ForgetInside();  // a child process has them too
void HearOutside();   // who waits may from now on wait for somebody outside

void ForgetWatched(int descriptor);  // it is closed: epoll sets do not watch it any more

struct IoWait {
  OpKind kind = OpKind::kPoll;
  Object* channel = nullptr;          // that it is on, or a list of them; nullptr: any descriptors
  std::uint8_t asked = 0;             // of a look at one channel (trace/channel_use.h)
  bool (*is_ready)(void*) = nullptr;  // nullptr: never waits
  void* argument = nullptr;
  // Sets the kind and the channel anew, of the argument: another thread has changed what it
  // touches.
  void (*describe)(void*, IoWait*) = nullptr;
  Deadline deadline = {};
  bool is_outside = false;  // somebody outside may make it ready
  bool cancels = true;      // a cancellation point
  bool restarts = true;     // after a handler with SA_RESTART
  std::uint64_t site = 0;
};

// Announces and returns when ready (kNormal), too late (kTimeout), or after a
// signal handler that lets calls fail (kInterrupted). In the first two cases the operation is to be
// done and recorded with FinishIo.
Outcome AwaitIo(Scheduler* scheduler, const IoWait& wait);
Event* FinishIo(Scheduler* scheduler, long result);
// The same of one that was made and has changed nothing for anybody: it is to be waited for again.
Event* FinishIoInVain(Scheduler* scheduler);
std::uint64_t FinishedIo();  // how many were finished that may have changed something
// Which of these events the kernel tells of a descriptor now.
short ReadyAt(int descriptor, short events);

// What announced operations touch may be something else now.
void DescribeAgain(Scheduler* scheduler);
void ForgetAnnounced();  // between runs
// The calling thread jumps to where its stack is there: calls of its that it leaves ask no more.
void ForgetAnnouncedBelow(std::uint64_t stack);

// Whether the call is the program's and its run has begun; otherwise it passes through.
Scheduler* IoScheduler();

// Timers of timerfd, in virtual time (interpose/timer_fd.cc).
Deadline EarliestTimer();
void FireTimers(std::uint64_t now);
void ForgetTimer(int descriptor);
std::uint64_t TakeExpirations(int descriptor);  // since it was read last; 0: it is no timer
bool IsIdleTimer(int descriptor);               // nobody has ever set it

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_IO_WAIT_H_
