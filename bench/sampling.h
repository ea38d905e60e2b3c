// `heddle bench sampling`: how often each sampler shows the bugs of a corpus of real programs,
// beside Table 3 of Yuan, Yang, Gu (CAV 2018).
#ifndef HEDDLE_BENCH_SAMPLING_H_
#define HEDDLE_BENCH_SAMPLING_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "table.h"

namespace heddle::bench {

struct SamplingOptions {
  std::string heddle;                  // the command itself, to compile and to search
  std::string corpus;                  // directory of the sources
  std::uint64_t runs = 10'000;         // per case and sampler
  std::uint64_t fixed_runs = 100'000;  // per fixed twin, in process
  std::uint64_t seed = 1;
  std::uint64_t auto_seeds = 10;  // for the runs that auto needs to the first failure
  std::uint64_t auto_most_runs = 20'000;
  std::uint64_t seconds = 600;  // per figure: the heaviest programs get fewer runs
  std::string only;             // one case, by name; empty: all of them
  bool quick = false;           // only that it runs
  std::string figures;          // file that keeps them as they are made; empty: none
};

// A row per case; hit ratios with 0 hits count as 1/runs in the geometric means, as in the paper.
Result<Table> Sampling(const SamplingOptions& options);

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_SAMPLING_H_
