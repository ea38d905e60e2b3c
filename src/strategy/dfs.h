// Depth-first search over all answers to all decisions: every interleaving, once.
//
// A run replays a prefix and goes on without preemptions (strategy/nonpreemptive.h); each decision
// behind the prefix leaves its other options to be tried. The last decision's are tried first, so
// with one worker the memory is proportional to the depth of one run.
#ifndef HEDDLE_STRATEGY_DFS_H_
#define HEDDLE_STRATEGY_DFS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/strategy.h"

namespace heddle {

// The answered decisions that unfinished work still needs, as paths that share their beginnings.
// A node is one answer; a path is named by its last node. Counted references, no pointers.
class AnswerTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;

  AnswerTree() { Clear(); }
  void Clear();

  // A new path: `parent` and one answer more. The caller holds the one reference to it; the tree
  // holds a reference to the parent on the child's behalf.
  Node Add(Node parent, Answer answer);
  void Hold(Node node) { ++nodes_[node].references; }
  void Release(Node node);

  Node ParentOf(Node node) const { return nodes_[node].parent; }
  Answer AnswerOf(Node node) const { return nodes_[node].answer; }
  std::vector<Answer> PathTo(Node node) const;

  std::size_t size() const { return live_; }  // answers kept
  std::size_t slots() const { return nodes_.size(); }
  bool IsLive(Node node) const { return nodes_[node].references != 0; }

 private:
  struct Slot {
    Node parent = kRoot;
    std::uint32_t references = 0;
    Answer answer = {};
  };

  std::vector<Slot> nodes_;  // [0] is the empty path
  std::vector<Node> free_;
  std::size_t live_ = 0;
};

// Several plans may be out at a time: the set of runs made is the same in any order of Learn. A run
// that did not follow its prefix, was cut short or lost records leaves part of the tree unknown:
// the search goes on, but is never Complete.
class DfsSearch final : public Search {
 public:
  explicit DfsSearch(const SearchOptions& options) : seed_(options.seed) { Restart(); }

  std::optional<Plan> Next() override;
  void Learn(const Plan& plan, const RunTrace& trace) override;
  bool Complete() const override;
  void Restart() override;
  std::string Save() const override;
  Status Load(std::string_view state) override;

  // Runs that did not count: they diverged, were cut short or lost records.
  std::uint64_t lost_runs() const { return state_.lost; }
  // Answers kept for work to come; for tests of the memory bound.
  std::size_t kept_answers() const { return state_.tree.size(); }
  std::size_t frontier() const { return state_.branches.size(); }

 private:
  // A decision some of whose options have not been tried.
  struct Branch {
    AnswerTree::Node path = AnswerTree::kRoot;  // to the decision
    std::uint16_t options = 0;
    std::uint16_t taken = 0;  // by the run that found it
    std::uint16_t next = 0;   // to try
  };
  struct State {
    AnswerTree tree;
    std::vector<Branch> branches;         // a stack
    std::vector<AnswerTree::Node> whole;  // paths to run as they are: the root, and reloaded ones
    std::map<std::uint64_t, AnswerTree::Node> outstanding;  // by run
    std::uint64_t given = 0;
    std::uint64_t lost = 0;
  };

  std::optional<AnswerTree::Node> TakeWork();

  const std::uint64_t seed_;
  State state_;
};

std::unique_ptr<Search> MakeDfsSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_DFS_H_
