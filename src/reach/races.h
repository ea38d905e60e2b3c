// Races of a SYN-sequence (section 4.2 of the paper): for each receive, the sends that it could
// have taken instead while everything that can affect either of them stays as it was.
#ifndef HEDDLE_REACH_RACES_H_
#define HEDDLE_REACH_RACES_H_

#include <vector>

#include "reach/sequence.h"

namespace heddle::reach {

// The race sets of one sequence, by Proposition 4. Begin makes it fit for the next one and keeps
// the memory.
class Races {
 public:
  // `sequence` must outlive what is asked.
  void Begin(const Sequence* sequence);

  // The race set of `receive`, in the order of sending.
  std::vector<Index> Of(Index receive) const;

 private:
  bool KeepsOrder(const Send& send, const Receive& receive, std::span<const Index> earlier) const;
  Index ChainAtEnd(Index owner) const;

  const Sequence* sequence_ = nullptr;
  std::vector<std::vector<Index>> sends_to_;  // by owner
  std::vector<Index> racing_;                 // by owner: how many of its first receives may race
};

// Of every receive.
std::vector<std::vector<Index>> RaceSets(const Sequence& sequence);

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_RACES_H_
