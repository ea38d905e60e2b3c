// `heddle bench core`: what switching, deciding, recording and forking cost, against limits.
//
// Every figure is measured in this call, also those that others are compared with. Nothing of it is
// a test: on a busy machine the medians are worth little, the minima more.
#ifndef HEDDLE_BENCH_CORE_H_
#define HEDDLE_BENCH_CORE_H_

#include <string>

#include "base/result.h"
#include "table.h"

namespace heddle::bench {

struct CoreOptions {
  std::string heddle;    // the command itself, to compile and to run the measured programs
  std::string programs;  // directory of their sources
  int repetitions = 3;   // of every program
  bool quick = false;    // tiny sizes: does it run at all?
};

// A row whose figure is above its limit is a failure of the table; none is when `quick`.
Result<Table> Core(const CoreOptions& options);

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_CORE_H_
