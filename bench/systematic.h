// `heddle bench systematic`: exhaustive searches of programs whose numbers of classes are known, at
// growing sizes: runs, redundant runs, runs per second, and whether a run gets dearer with their
// number.
//
// Measured on the abstract machine, so the time is that of the search itself (Next and Learn) and a
// run of some hundred nanoseconds; in process, by heddle::Explore; and, for whole programs, under
// `heddle run`, against what the fork server does at most.
#ifndef HEDDLE_BENCH_SYSTEMATIC_H_
#define HEDDLE_BENCH_SYSTEMATIC_H_

#include <string>

#include "base/result.h"
#include "table.h"

namespace heddle::bench {

struct SystematicOptions {
  std::string heddle;    // the command itself, to compile and to run the whole programs
  std::string programs;  // directory of their sources
  double seconds = 5;    // that every family's largest size is to take
  bool quick = false;
};

// A count that is not the known one is a failure of the table.
Result<Table> Systematic(const SystematicOptions& options);

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_SYSTEMATIC_H_
