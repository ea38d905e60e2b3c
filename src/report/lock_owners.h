// Who holds which lock, followed through the events of a run.
#ifndef HEDDLE_REPORT_LOCK_OWNERS_H_
#define HEDDLE_REPORT_LOCK_OWNERS_H_

#include <map>
#include <vector>

#include "trace/run_trace.h"

namespace heddle {

class LockOwners {
 public:
  // In the order of the run.
  void Apply(const RunTrace& trace, const Event& event);

  // kNoThread: free, or no lock.
  ThreadId OwnerOf(ObjectId lock) const;

 private:
  struct Holding {
    ThreadId thread = kNoThread;
    int depth = 0;  // of a recursive lock
  };

  std::map<ObjectId, Holding> held_;
  std::map<ThreadId, std::vector<ObjectId>> order_;  // locks of a thread, last taken last
};

}  // namespace heddle

#endif  // HEDDLE_REPORT_LOCK_OWNERS_H_
