// Starting the program under test so that every start looks the same from inside.
//
// The program sees the recorded arguments, environment, working directory and standard input; its
// output goes to a memory file; it dies with the controller. What heddle adds to the environment
// has the same length in every start, because the environment lies on the stack and shifts it.
#ifndef HEDDLE_EXPLORE_LAUNCH_H_
#define HEDDLE_EXPLORE_LAUNCH_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "report/finding.h"

namespace heddle {

struct LaunchSettings {
  std::string preload = {};    // the engine, for programs that do not link it; empty otherwise
  std::string temporary = {};  // TMPDIR of this worker
  int channel = -1;            // descriptors to hand over
  int input = -1;
  int output = -1;
};

// The number under which the program finds its channel: out of the way of the program's own.
inline constexpr int kChannelDescriptor = 100;

std::vector<std::string> LayEnvironment(const Invocation& invocation,
                                        const LaunchSettings& settings);

struct Launched {
  pid_t pid = -1;
  bool aslr_is_on = false;  // switching it off was refused
};

// Forks and executes. An Error is a failure to execute; whatever the program does afterwards is the
// caller's to watch. The process is the leader of its own process group.
// The process dies when the calling *thread* ends (that is how Linux defines PR_SET_PDEATHSIG).
Result<Launched> Launch(const Invocation& invocation, const LaunchSettings& settings);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_LAUNCH_H_
