// How large a search tree is, by random descents.
//
// Knuth (1975): a descent goes from the root to a leaf, each time to a child drawn at random; the
// product of the numbers of children on its way, added up over the way, has the number of nodes as
// its mean. But where subtrees differ much nearly all descents miss the large ones. So many go
// abreast, each standing for as many nodes as its weight says: of all children of the nodes of one
// depth some are drawn that then stand for the others. Children of one *kind* (heterogeneous
// sampling, Chen 1992) stand for each other: of a run that leaves another one early much more is
// to come than of one that leaves it late. Several such sweeps give a mean and, by their spread, an
// interval.
//
// Every node is a run, so a sweep decides only in which order the first runs are made: what it has
// met is known to later ones, and nothing is run twice.
#ifndef HEDDLE_STRATEGY_DESCENTS_H_
#define HEDDLE_STRATEGY_DESCENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strategy/state_text.h"
#include "strategy/strategy.h"

namespace heddle {

// Nodes are numbered: the root is 1, children one behind the other. A tree that is too wide or deep
// ends the descents early, with what they have found so far. Nothing is drawn but from the numbers
// of the sweep and the depth: a descent that is loaded goes on as it would have.
class Descents {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNoNode = 0;
  static constexpr Node kRoot = 1;

  // A node whose children are to be known next; kNoNode: the descents are over.
  Node Wanted() const { return is_over_ ? kNoNode : level_[next_].node; }
  // `node` has children of these kinds: they are numbered from the result on. Kinds are such that
  // neighbours among them are alike. kNoNode: the descents are over, and nodes are not told any
  // more.
  Node Learn(Node node, std::span<const std::uint32_t> kinds);
  void End() { is_over_ = true; }
  bool is_over() const { return is_over_; }
  std::size_t nodes() const { return nodes_.size(); }

  // What each sweep would have the tree's size be.
  std::span<const double> sizes() const { return sizes_; }

  void Save(StateWriter* writer) const;
  // False: it was not saved so.
  bool Load(StateReader* reader);

 private:
  struct NodeInfo {
    Node first_child = kNoNode;
    std::uint32_t children = 0;
    std::uint32_t kind = 0;
    bool is_known = false;
  };
  struct Drawn {
    Node node = kNoNode;
    double weight = 1;  // nodes of its depth that it stands for, itself included
  };

  void GoDown();
  void NextLevel();
  void Thin(std::vector<Drawn>* children) const;

  std::vector<NodeInfo> nodes_ = std::vector<NodeInfo>(kRoot + 1);  // [0] unused
  std::vector<double> sizes_;
  std::vector<Drawn> level_ = {{.node = kRoot}};  // of the present sweep
  std::size_t next_ = 0;                          // the first of them that is not known yet
  std::uint64_t depth_ = 0;
  double sum_ = 1;  // of all weights so far
  bool is_over_ = false;
};

// The mean of such sizes, and where the truth lies in 95 of 100 cases if their logarithms are about
// normal (Cox's method); all 0 for too few.
RunEstimate EstimateSize(std::span<const double> sizes);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_DESCENTS_H_
