// `heddle replay --gdb`: the user lands at the failing frame of the failing thread.
#ifndef HEDDLE_CLI_DEBUGGER_H_
#define HEDDLE_CLI_DEBUGGER_H_

#include "explore/worker.h"
#include "report/finding_store.h"

namespace heddle {

// Starts gdb on this terminal with the program as its child, tells the program what to replay, and
// waits until the user leaves gdb. Returns the command's exit code.
int ReplayInDebugger(const StoredFinding& stored, const Invocation& invocation,
                     const WorkerOptions& options);

// The same for a run of heddle::Explore: the test process itself makes it (HEDDLE_REPLAY).
int ReplayTestInDebugger(const StoredFinding& stored, const Invocation& invocation);

}  // namespace heddle

#endif  // HEDDLE_CLI_DEBUGGER_H_
