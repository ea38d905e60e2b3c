// Timers that send a signal (alarm, setitimer, timer_create), in virtual time.
//
// One that is set is a thread of the model: it sleeps until its time and sends the signal. So when
// it expires is a decision like the end of any sleep, and what it does is an event: every search,
// replay and report knows it.
#ifndef HEDDLE_RUNTIME_INTERPOSE_SIGNAL_TIMERS_H_
#define HEDDLE_RUNTIME_INTERPOSE_SIGNAL_TIMERS_H_

#include <signal.h>

#include <cstdint>

#include "runtime/interpose/deadline.h"

namespace heddle {

class Scheduler;
struct Thread;
struct Arming;

class SignalTimer {
 public:
  // What it sends, and where to; nullptr: to the process.
  struct Notice {
    siginfo_t info = {};
    Thread* target = nullptr;
    bool is_sent = true;  // SIGEV_NONE: one looks at it
  };
  struct Setting {
    std::uint64_t at = 0;        // virtual nanoseconds
    std::uint64_t interval = 0;  // 0: once
  };
  // Until it expires (0: it is not set), and the interval.
  struct Left {
    std::uint64_t time = 0;
    std::uint64_t interval = 0;
  };

  SignalTimer(const char* name, const Notice& notice) : name_(name), notice_(notice) {}

  // What there was before.
  Left Set(Scheduler* scheduler, const Setting& setting, std::uint64_t site);
  Left Clear(Scheduler* scheduler, std::uint64_t site);
  Left Look(const Scheduler* scheduler) const;
  int overruns() const;

 private:
  Left Replace(Scheduler* scheduler, const Setting* setting, std::uint64_t site);
  bool IsWatchdog(const Scheduler* scheduler) const;

  const char* name_;  // of the thread
  Notice notice_;
  Arming* arming_ = nullptr;  // the last
};

// Where a body returns: its timers end with it, as those of a process do.
void EndSignalTimers(Scheduler* scheduler);
void ForgetSignalTimers();  // between runs

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_SIGNAL_TIMERS_H_
