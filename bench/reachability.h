// `heddle bench reachability`: Table 1 of Carver and Lei's paper on reachability testing, and a
// comparison with brute force on random programs.
#ifndef HEDDLE_BENCH_REACHABILITY_H_
#define HEDDLE_BENCH_REACHABILITY_H_

#include <cstdint>

#include "table.h"

namespace heddle::bench {

struct ReachabilityOptions {
  std::uint64_t seed = 1;
  int random_programs = 2'000;  // each with three seeds
  bool check_times = true;
};

Table Reachability(const ReachabilityOptions& options);

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_REACHABILITY_H_
