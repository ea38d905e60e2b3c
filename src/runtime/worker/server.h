// The fork server inside the program under test.
#ifndef HEDDLE_RUNTIME_WORKER_SERVER_H_
#define HEDDLE_RUNTIME_WORKER_SERVER_H_

#include "trace/channel.h"
#include "trace/plan.h"

namespace heddle {

// Before main, or before the first thread if a constructor starts one. Answers the controller's
// requests by forking a child per run; returns only in such a child, where the program then goes on
// under control. Without a controller it returns at once. Idempotent.
void ServeBeforeFirstThread();

// This process is a worker of another kind: the above does nothing.
void NeverServe();

// What a library's worker (runtime/library) shares with it:

// The worker is ready; returns when the controller has posted a request.
void GiveTurn(Channel* channel);
void AwaitTurn(Channel* channel);
// Makes the requested runs in a child each.
enum class RunsMade {
  kAll,        // now it is the controller's turn
  kLookAgain,  // children have answered and given the turn; there is, or will be, another request
  kIsRun,      // in a child that is to go on as a run
};
RunsMade MakeRunsInChildren(Channel* channel);
// In a new child: it dies with the worker.
void SetUpChild(Channel* channel);
// The plan of the request, without its prefix, which stays in the channel.
Plan RequestedPlan(const Channel& channel);
// What the end of the process that made a run adds to what the run itself said.
void CompleteRecord(Channel* channel, RunRecord* record, int wait_status);
// The scheduling points of the request.
void ConfigureSites(Channel* channel);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_SERVER_H_
