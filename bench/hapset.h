// The tables of Wang, Said and Gupta, "Coverage Guided Systematic Concurrency Testing" (ICSE 2011):
// runs to the bug, on programs written after the paper's descriptions (bench/hapset).
#ifndef HEDDLE_BENCH_HAPSET_H_
#define HEDDLE_BENCH_HAPSET_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "table.h"

namespace heddle::bench {

struct HapsetOptions {
  std::string heddle;    // the command
  std::string programs;  // the folder bench/hapset
  std::uint64_t seed = 1;
  double seconds = 5;  // per search; the paper gave each 600
  std::string only;    // one program
  bool quick = false;  // the small programs, one limit of a few seconds
};

Result<Table> Hapset(const HapsetOptions& options);

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_HAPSET_H_
