// The function that a test gave to heddle::Explore, run once, as if it were a program.
#ifndef HEDDLE_RUNTIME_LIBRARY_BODY_H_
#define HEDDLE_RUNTIME_LIBRARY_BODY_H_

#include <cstdint>

namespace heddle {

struct Body {
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
};

// On the main thread, after Scheduler::BeginRun: runs the body to its end and publishes the run's
// record. Ends the process instead when the run fails.
void RunBody(const Body& body);

// Everything of the engine that belongs to a run is as it was before the first one. Called between
// two runs in one process, on the main thread; the list of what there is to reset is in body.cc.
void ResetForRun();

// The process has made its first run: what that one initialised, once and for all, stays.
void KeepWhatIsInitialised();

// Blocks that the last run allocated are still alive.
bool LastRunLeftBlocks();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_LIBRARY_BODY_H_
