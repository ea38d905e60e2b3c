// All partial orders of a Program with their exact random-walk probabilities, without visiting all
// interleavings.
//
// Prefixes with the same partial order lead to the same state, so they are merged as they grow: a
// program of 63 million interleavings has some hundred thousand prefixes. Prefixes are told apart
// by their class hash (trace/class_hash.h), which enumerate.h checks.
#ifndef HEDDLE_SIMULATE_CLASSES_H_
#define HEDDLE_SIMULATE_CLASSES_H_

#include <cstdint>
#include <vector>

#include "simulate/program.h"

namespace heddle::simulate {

struct ExactClass {
  std::uint64_t hash = 0;    // as RunRecord::class_hash has it, with stop_at_failure off
  double random_walk = 0;    // probability
  double interleavings = 0;  // number
  int preemptions = 0;       // the fewest that reach it
  bool failed = false;       // an assertion did
  bool deadlocked = false;
};

// Sorted by hash. Programs must end under every schedule; an assertion does not end a run.
std::vector<ExactClass> ExactClasses(const Program& program);

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_CLASSES_H_
