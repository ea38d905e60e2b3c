// Races of a SYN-sequence (section 4.2 of the paper): for each receive, the sends that it could
// have taken instead while everything that can affect either of them stays as it was.
#ifndef HEDDLE_REACH_RACES_H_
#define HEDDLE_REACH_RACES_H_

#include <vector>

#include "reach/sequence.h"

namespace heddle::reach {

// The race set of every receive, by Proposition 4, in the order of sending.
std::vector<std::vector<Index>> RaceSets(const Sequence& sequence);

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_RACES_H_
