// A thread that waits in a loop of plain reads, none of which is a scheduling point yet.
//
// Nobody hears of such a loop: the hooks wave its reads through. The controller sees that a run
// takes the processor without getting on, and asks (worker/crash.cc). From then on every plain
// access of the running thread comes by the engine and is looked at here. A thread that is back at
// a read with the same registers and stack, has read something and written nothing, will never
// leave its loop by itself, and nobody else can go on without a scheduling point: what it read
// there become points of later runs, and this run ends as overtaken. Whoever merely computes for
// long is soon let go, and nothing comes of having been looked at: so it does not matter when that
// was.
#ifndef HEDDLE_RUNTIME_SCHEDULER_UNSEEN_WAIT_H_
#define HEDDLE_RUNTIME_SCHEDULER_UNSEEN_WAIT_H_

#include <cstdint>

#include "runtime/hooks/abi.h"
#include "runtime/memory/sites.h"
#include "runtime/scheduler/own_state.h"

namespace heddle {

class Scheduler;

class UnseenWait {
 public:
  // In a signal handler: all accesses from now on.
  static void Ask(HeddleHot* hot);
  static bool is_asked() { return is_asked_; }
  // An access was seen since.
  static bool has_looked();

  // One of them that is no point. `stack`: of the running thread.
  static void Look(Scheduler* scheduler, const Site& site, const void* address, bool is_write,
                   AddressRange stack);

  static void ResetForRun();

 private:
  static void LetGo();

  static volatile bool is_asked_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_UNSEEN_WAIT_H_
