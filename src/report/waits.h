// What the threads of a run were doing when it ended: "waits for mutex b, held by T1".
#ifndef HEDDLE_REPORT_WAITS_H_
#define HEDDLE_REPORT_WAITS_H_

#include <string>
#include <vector>

#include "report/lock_owners.h"
#include "report/run_names.h"
#include "trace/run_trace.h"

namespace heddle {

// What an operation waits for when it can't be done: "mutex m", "the end of T2", "condition c to be
// signalled".
std::string Awaited(const RunTrace& trace, const RunNames& names, const PendingOp& op);

// By ThreadId; empty for threads that had ended.
std::vector<std::string> StatesAtEnd(const RunTrace& trace, const RunNames& names,
                                     const LockOwners& owners);

// The threads a deadlock is about: its cycle, or every thread that waits.
std::vector<ThreadId> DeadlockedThreads(const RunTrace& trace);

// The thread that a join waits for; kNoThread when it is not one.
ThreadId JoinedBy(const RunTrace& trace, const PendingOp& op);

}  // namespace heddle

#endif  // HEDDLE_REPORT_WAITS_H_
