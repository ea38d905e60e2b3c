// `heddle bench reachability`: Table 1 of Carver and Lei's paper on reachability testing, by
// programs written with <heddle/sync.h> and, as a cross-check, by the same programs in the
// interpreter of src/reach; and a comparison with brute force on random programs.
#ifndef HEDDLE_BENCH_REACHABILITY_H_
#define HEDDLE_BENCH_REACHABILITY_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "table.h"

namespace heddle::bench {

struct ReachabilityOptions {
  std::string heddle;    // the command itself, to compile the programs
  std::string programs;  // directory of their sources
  std::uint64_t seed = 1;
  int random_programs = 2'000;  // each with three seeds
  bool quick = false;           // small programs only, nothing timed
};

Result<Table> Reachability(const ReachabilityOptions& options);

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_REACHABILITY_H_
