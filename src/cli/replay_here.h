// The controller's side of HEDDLE_REPLAY=FILE: see runtime/library/replay_here.h.
#ifndef HEDDLE_CLI_REPLAY_HERE_H_
#define HEDDLE_CLI_REPLAY_HERE_H_

#include <string>

#include "base/result.h"
#include "explore/test_process.h"

namespace heddle {

// Lets the test process run the schedule of `file`, and says on standard error what came of it. An
// Error: the test process was not asked yet, and can be told.
Status ReplayInTest(const std::string& file, TestProcess* test);

}  // namespace heddle

#endif  // HEDDLE_CLI_REPLAY_HERE_H_
