// The runs that a search knows of and has not made, while random descents say which comes next.
//
// `Work` is what a search keeps of such a run; its member `node` is the pool's. When the descents
// are over the search takes back what is left and goes on in an order of its own.
#ifndef HEDDLE_STRATEGY_DESCENT_POOL_H_
#define HEDDLE_STRATEGY_DESCENT_POOL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "strategy/descents.h"
#include "strategy/state_text.h"

namespace heddle {

template <typename Work>
class DescentPool {
 public:
  using Node = Descents::Node;

  // Of a search that nobody asks how large it is.
  DescentPool() { descents_.End(); }
  explicit DescentPool(Work root) : pool_(Descents::kRoot + 1) {
    Put(Descents::kRoot, std::move(root));
  }

  std::size_t size() const { return waiting_; }
  bool is_over() const { return descents_.is_over(); }
  std::span<const double> sizes() const { return descents_.sizes(); }

  // What the present descent wants; where that is being run, anything else. There is some.
  Work Take() {
    Node node = descents_.Wanted();
    if (!IsHere(node)) {
      for (node = static_cast<Node>(pool_.size() - 1); !IsHere(node); --node) {
      }
    }
    --waiting_;
    Work work = std::move(pool_[node]);
    pool_[node].node = Descents::kNoNode;
    work.node = node;
    return work;
  }

  // The run of `node` led to `works`, each with the number of its kind; where that ends the
  // descents they stay the caller's.
  void Learn(Node node, std::vector<Work>* works, std::span<const std::uint32_t> kinds) {
    if (is_over()) return;
    Node child = descents_.Learn(node, kinds);
    if (child == Descents::kNoNode) return;
    pool_.resize(pool_.size() + works->size());
    for (Work& work : *works) Put(child++, std::move(work));
    works->clear();
  }
  void End() { descents_.End(); }

  // All that is left, in the order in which it was found, without a node.
  template <typename Function>
  void Drain(const Function& take) {
    for (Work& work : pool_) {
      if (work.node == Descents::kNoNode) continue;
      work.node = Descents::kNoNode;
      take(std::move(work));
    }
    pool_ = {};
    waiting_ = 0;
  }

  template <typename Function>
  void ForEach(const Function& see) const {
    for (const Work& work : pool_) {
      if (work.node != Descents::kNoNode) see(work);
    }
  }

  void SaveDescents(StateWriter* writer) const { descents_.Save(writer); }
  // False: it was not saved so. What was in the pool comes behind it, by PutBack.
  bool LoadDescents(StateReader* reader) {
    if (!descents_.Load(reader)) return false;
    pool_ = std::vector<Work>(is_over() ? 0 : descents_.nodes());
    waiting_ = 0;
    return true;
  }
  // False: there is no such node, or it was put back already.
  bool PutBack(Work work) {
    const Node node = work.node;
    if (node >= pool_.size() || IsHere(node)) return false;
    Put(node, std::move(work));
    return true;
  }

 private:
  bool IsHere(Node node) const { return pool_[node].node != Descents::kNoNode; }
  void Put(Node node, Work work) {
    work.node = node;
    pool_[node] = std::move(work);
    ++waiting_;
  }

  Descents descents_;
  std::vector<Work> pool_;  // by node; taken where there is no node
  std::size_t waiting_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_DESCENT_POOL_H_
