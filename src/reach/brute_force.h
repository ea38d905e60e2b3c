// All SYN-sequences of an abstract program by trying every interleaving: what reachability testing
// is checked against. Knows nothing of clocks, races or variants.
#ifndef HEDDLE_REACH_BRUTE_FORCE_H_
#define HEDDLE_REACH_BRUTE_FORCE_H_

#include <cstddef>
#include <map>
#include <vector>

#include "reach/machine.h"
#include "reach/program.h"

namespace heddle::reach {

struct AllSequences {
  // By SYN-sequence (as Sequence::Identity writes it), how the run ends.
  std::map<std::vector<Index>, FinalState> ends;
  bool too_many = false;  // states: the rest was not looked at
  // Two runs with the same SYN-sequence ended differently: the program communicates behind the
  // model's back.
  bool ambiguous = false;
};
AllSequences BruteForce(const Program& program, std::size_t most_states);

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_BRUTE_FORCE_H_
