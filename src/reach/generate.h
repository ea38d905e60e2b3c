// Random abstract programs that mix all constructs, with control flow that depends on data:
// messages, and variables that a lock, semaphore or monitor protects.
#ifndef HEDDLE_REACH_GENERATE_H_
#define HEDDLE_REACH_GENERATE_H_

#include "base/rng.h"
#include "reach/program.h"

namespace heddle::reach {

struct GenerateOptions {
  int most_threads = 4;
  int most_actions = 3;  // of a thread
  int most_objects = 3;
  bool ports_only = false;  // many selects
};

Program RandomProgram(const GenerateOptions& options, Rng& rng);

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_GENERATE_H_
