// Long paths of answers that share their beginnings, and say once what repeats.
//
// The tail of a run that goes on without preemptions is ten thousand times the same answer: kept
// answer by answer, a search that remembers the runs it made would need memory for every decision
// of each. Here a node is a *stretch*, one answer several times, and a path leaves its parent
// anywhere within.
#ifndef HEDDLE_STRATEGY_ANSWER_PATHS_H_
#define HEDDLE_STRATEGY_ANSWER_PATHS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strategy/state_text.h"
#include "trace/plan.h"

namespace heddle {

// A path is named by its last stretch. Counted references, no pointers.
class AnswerPaths {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;  // the empty path

  struct Stretch {
    Node parent = kRoot;
    std::uint32_t kept = 0;   // answers of the parent's stretch that come before it
    std::uint32_t count = 0;  // times the answer
    Answer answer = {};
  };

  AnswerPaths() : slots_(1) { Hold(kRoot); }

  // The caller holds the one reference to it; the new stretch holds one to its parent.
  Node Add(const Stretch& stretch);
  void Hold(Node node) { ++slots_[node].references; }
  void Release(Node node);

  const Stretch& operator[](Node node) const { return slots_[node].stretch; }
  std::vector<Answer> PathTo(Node node) const;
  std::size_t size() const { return live_; }  // stretches kept

  // Numbers the stretches that these paths need from 1, parents first, and writes them; the result
  // has the number of each node. Load gives the stretch numbered i the node i, with one reference
  // that is the caller's, and says whether the text was sound.
  std::vector<std::uint32_t> Save(const std::vector<Node>& paths, StateWriter* writer) const;
  bool Load(StateReader* reader, std::uint64_t most);

 private:
  struct Slot {
    Stretch stretch;
    std::uint32_t references = 0;
  };

  std::vector<Slot> slots_;  // [0] is the empty path
  std::vector<Node> free_;
  std::size_t live_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_ANSWER_PATHS_H_
