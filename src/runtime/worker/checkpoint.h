// Checkpoints: runs that begin in the middle.
//
// A run on the fiber backend is one kernel thread and memory, so a fork in mid-run copies all of
// it, with every thread of the program. When the request names the decision that a run is at, its
// process stays there for good and a copy goes on as the run. From then on the process serves like
// the worker (worker/server.h): a request whose prefix begins with the same decisions is a copy
// that goes on from here with the rest of the prefix.
//
// Checkpoints nest: the copy may become one, too. Each waits for the end of its child, so only the
// last one listens to the controller; a request that it is not good for makes it leave, and its
// parent looks at the request. A checkpoint that dies is a checkpoint that left: any process on the
// way can make any run, since the prefix is whole in every request. All of them die with their
// parents.
//
// The records of the decisions and events before a checkpoint stay in the channel, because whatever
// runs while it lives comes from it and writes behind them.
#ifndef HEDDLE_RUNTIME_WORKER_CHECKPOINT_H_
#define HEDDLE_RUNTIME_WORKER_CHECKPOINT_H_

#include <cstdint>

#include "trace/channel.h"

namespace heddle {

// In the worker or a checkpoint, after its child has ended: it was (or had become) a checkpoint, so
// what it leaves is a request to look at, not the record of a run. Returns when nobody below it
// writes to the channel any more. `level`: of the caller; the worker's is 0.
bool ChildWasCheckpoint(Channel* channel, std::uint32_t level, int wait_status);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_WORKER_CHECKPOINT_H_
