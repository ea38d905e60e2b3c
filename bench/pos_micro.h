// `heddle bench pos-micro`: Tables 1 and 2 of the POS paper, on the abstract machine.
//
// Generated programs of 4 threads x 4 events over 4 objects; how often does each sampler meet the
// partial order that it meets least?
#ifndef HEDDLE_BENCH_POS_MICRO_H_
#define HEDDLE_BENCH_POS_MICRO_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "table.h"

namespace heddle::bench {

struct PosMicroOptions {
  std::uint64_t samples = 2'000'000;  // per program and sampler; the paper's is 50,000,000
  std::uint64_t seed = 1;             // draws other programs
  int workers = 2;
  std::string figures;  // file that keeps them as they are made; empty: none
};

// Ten programs as in Table 1 (five uniform, five skewed) and ten as in Table 2 (half of the events
// read). What must hold at full size (POS >= 4x RAPOS and >= 50x random walk, PCT and BasicPOS; the
// read relaxation >= 1.2x POS) is checked only with at least the paper's samples.
Result<Table> PosMicro(const PosMicroOptions& options);

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_POS_MICRO_H_
