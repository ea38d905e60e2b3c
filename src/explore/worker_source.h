// Where workers come from, and who reaps them.
#ifndef HEDDLE_EXPLORE_WORKER_SOURCE_H_
#define HEDDLE_EXPLORE_WORKER_SOURCE_H_

#include <sys/types.h>

#include "base/result.h"
#include "explore/launch.h"
#include "report/finding.h"

namespace heddle {

class WorkerSource {
 public:
  virtual ~WorkerSource() = default;

  virtual Result<Launched> Start(const Invocation& invocation, const LaunchSettings& settings) = 0;
  // As waitpid. Without WNOHANG only for a worker that was killed.
  virtual pid_t Wait(pid_t pid, int* status, int flags) = 0;
};

// Starts the program by exec; the workers are children of this process.
WorkerSource* ProgramSource();

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_WORKER_SOURCE_H_
