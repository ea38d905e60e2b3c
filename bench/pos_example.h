// `heddle bench pos-example`: the figures of the POS paper whose probabilities are known, on the
// abstract machine, and Fig. 2 as a real program too.
#ifndef HEDDLE_BENCH_POS_EXAMPLE_H_
#define HEDDLE_BENCH_POS_EXAMPLE_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "table.h"

namespace heddle::bench {

struct PosExampleOptions {
  std::uint64_t runs = 10'000'000;  // per sampler, of Fig. 2; a tenth of it for the other figures
  std::uint64_t real_runs = 1'000'000;  // per sampler, of Fig. 2 in heddle::Explore
  std::uint64_t seed = 1;
  std::string heddle;    // the command itself, to compile the real program
  std::string programs;  // directory of its source
};

// Fig. 2 (hit ratio of the bug, least probable partial order), Fig. 1a for m = 4, 8, 16, and the
// minimum over the partial orders of Fig. 3. A ratio more than four standard errors from what the
// paper says is a failure of the table.
Result<Table> PosExample(const PosExampleOptions& options);

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_POS_EXAMPLE_H_
