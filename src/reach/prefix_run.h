// One prefix-based run of an abstract program: begin with a variant, then go on at random.
#ifndef HEDDLE_REACH_PREFIX_RUN_H_
#define HEDDLE_REACH_PREFIX_RUN_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/rng.h"
#include "reach/machine.h"
#include "reach/search.h"

namespace heddle::reach {

struct RunEnd {
  bool blocked = false;  // only barred receives were left: not a SYN-sequence
  FinalState state;
};

// `sequence` is reset and holds the run afterwards.
RunEnd RunWith(const Program& program, const Variant& variant, Scheme scheme, Rng& rng,
               Sequence& sequence);

struct ExploreOptions {
  std::uint64_t seed = 1;
  std::uint64_t most_runs = 10'000'000;
  // Smaller of the two unless given.
  bool choose_scheme = true;
  Scheme scheme = Scheme::kObjectCentric;
};

struct ExploreResult {
  SearchCounts counts;
  std::uint64_t deadlocks = 0;
  std::uint64_t failures = 0;
  bool complete = false;
};

// Every SYN-sequence of `program`; `each` sees those that count.
ExploreResult ExploreProgram(const Program& program, const ExploreOptions& options,
                             const std::function<void(const Sequence&, const RunEnd&)>& each = {});

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_PREFIX_RUN_H_
