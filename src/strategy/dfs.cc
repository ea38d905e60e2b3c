#include "strategy/dfs.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "strategy/state_text.h"
#include "strategy/whole_run.h"

namespace heddle {
void AnswerTree::Clear() {
  nodes_.assign(1, Slot{.references = 1});
  free_.clear();
  live_ = 0;
}

AnswerTree::Node AnswerTree::Add(Node parent, Answer answer) {
  Node node;
  if (free_.empty()) {
    node = static_cast<Node>(nodes_.size());
    nodes_.emplace_back();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  nodes_[node] = {.parent = parent, .references = 1, .answer = answer};
  Hold(parent);
  ++live_;
  return node;
}

void AnswerTree::Release(Node node) {
  // A loop, not recursion: a path may be a million answers long.
  while (true) {
    HEDDLE_CHECK(nodes_[node].references > 0);
    if (--nodes_[node].references > 0 || node == kRoot) return;
    free_.push_back(node);
    --live_;
    node = nodes_[node].parent;
  }
}

std::vector<Answer> AnswerTree::PathTo(Node node) const {
  std::vector<Answer> path;
  for (; node != kRoot; node = nodes_[node].parent) path.push_back(nodes_[node].answer);
  std::reverse(path.begin(), path.end());
  return path;
}

void DfsSearch::Restart() {
  state_ = State();
  state_.tree.Hold(AnswerTree::kRoot);
  state_.whole.push_back(AnswerTree::kRoot);
}

// The next path to run, with a reference to it.
std::optional<AnswerTree::Node> DfsSearch::TakeWork() {
  if (!state_.whole.empty()) {
    const AnswerTree::Node node = state_.whole.back();
    state_.whole.pop_back();
    return node;
  }
  if (state_.branches.empty()) return std::nullopt;
  Branch& branch = state_.branches.back();
  const AnswerTree::Node node = state_.tree.Add(branch.path, {branch.next, branch.options});
  ++branch.next;
  if (branch.next == branch.taken) ++branch.next;
  if (branch.next >= branch.options) {
    state_.tree.Release(branch.path);
    state_.branches.pop_back();
  }
  return node;
}

std::optional<Plan> DfsSearch::Next() {
  const std::optional<AnswerTree::Node> node = TakeWork();
  if (!node) return std::nullopt;
  Plan plan;
  plan.run = ++state_.given;
  plan.seed = seed_;
  plan.policy = "dfs";
  plan.prefix = state_.tree.PathTo(*node);
  state_.outstanding.emplace(plan.run, *node);
  return plan;
}

void DfsSearch::Learn(const Plan& plan, const RunTrace& trace) {
  const auto out = state_.outstanding.find(plan.run);
  if (out == state_.outstanding.end()) return;  // of a search before Restart
  AnswerTree::Node path = out->second;
  state_.outstanding.erase(out);
  const bool follows = FollowsPrefix(plan, trace);
  if (!follows || !IsWhole(trace)) ++state_.lost;
  if (!follows) {
    // What lies behind a prefix that was not followed belongs to another part of the tree.
    state_.tree.Release(path);
    return;
  }
  // `path` is held by us while we walk down; each branch holds its own reference.
  for (std::size_t i = plan.prefix.size(); i < trace.decisions.size(); ++i) {
    const DecisionRecord& decision = trace.decisions[i];
    Branch branch{.path = path, .options = decision.options, .taken = decision.chosen};
    if (branch.taken == 0) branch.next = 1;
    if (branch.next < branch.options) {
      state_.tree.Hold(path);
      state_.branches.push_back(branch);
    }
    const AnswerTree::Node child = state_.tree.Add(path, {decision.chosen, decision.options});
    state_.tree.Release(path);
    path = child;
  }
  state_.tree.Release(path);
}

bool DfsSearch::Complete() const {
  return state_.branches.empty() && state_.whole.empty() && state_.outstanding.empty() &&
         state_.lost == 0;
}

// Nodes are written parents first, numbered anew from 1. A plan that is out when the state is saved
// is lost with its process, so it is saved as a path to run again.
std::string DfsSearch::Save() const {
  std::vector<std::uint32_t> number(state_.tree.slots(), 0);
  std::vector<AnswerTree::Node> order;
  const auto visit = [&](AnswerTree::Node node) {
    const std::size_t first = order.size();
    for (; node != AnswerTree::kRoot && number[node] == 0; node = state_.tree.ParentOf(node)) {
      number[node] = 1;
      order.push_back(node);
    }
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
    for (std::size_t i = first; i < order.size(); ++i) {
      number[order[i]] = static_cast<std::uint32_t>(i + 1);
    }
  };
  for (const Branch& branch : state_.branches) visit(branch.path);
  // Taken from the back: what was given out first is run first again.
  std::vector<AnswerTree::Node> whole = state_.whole;
  for (auto it = state_.outstanding.rbegin(); it != state_.outstanding.rend(); ++it) {
    whole.push_back(it->second);
  }
  for (const AnswerTree::Node node : whole) visit(node);

  StateWriter writer;
  writer.Word("dfs").Number(seed_);
  writer.Number(state_.given - state_.outstanding.size()).Number(state_.lost);
  writer.Number(order.size());
  for (const AnswerTree::Node node : order) {
    const Answer answer = state_.tree.AnswerOf(node);
    writer.Number(number[state_.tree.ParentOf(node)]).Number(answer.chosen).Number(answer.options);
  }
  writer.Number(state_.branches.size());
  for (const Branch& branch : state_.branches) {
    writer.Number(number[branch.path]).Number(branch.options);
    writer.Number(branch.taken).Number(branch.next);
  }
  writer.Number(whole.size());
  for (const AnswerTree::Node node : whole) writer.Number(number[node]);
  return writer.Take();
}

Status DfsSearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect("dfs");
  const std::uint64_t seed = reader.Number();
  State state;
  state.given = reader.Number();
  state.lost = reader.Number();
  // A count can't exceed the number of characters: a damaged one must not make us allocate.
  const std::uint64_t node_count = reader.Number(text.size());
  for (std::uint64_t i = 1; i <= node_count && reader.ok(); ++i) {
    const auto parent = static_cast<AnswerTree::Node>(reader.Number(i - 1));
    const auto chosen = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    const auto options = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    if (chosen >= options) return BadState("dfs");
    state.tree.Add(parent, {chosen, options});
  }
  const std::uint64_t branch_count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < branch_count && reader.ok(); ++i) {
    Branch branch;
    branch.path = static_cast<AnswerTree::Node>(reader.Number(node_count));
    branch.options = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    branch.taken = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    branch.next = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    if (branch.taken >= branch.options || branch.next >= branch.options ||
        branch.next == branch.taken) {
      return BadState("dfs");
    }
    state.tree.Hold(branch.path);
    state.branches.push_back(branch);
  }
  const std::uint64_t whole_count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < whole_count && reader.ok(); ++i) {
    const auto node = static_cast<AnswerTree::Node>(reader.Number(node_count));
    state.tree.Hold(node);
    state.whole.push_back(node);
  }
  if (!reader.ok() || !reader.AtEnd() || seed != seed_) return BadState("dfs");
  // The references of Add were ours; a node that nothing needs goes with them.
  for (std::uint64_t i = node_count; i >= 1; --i) {
    state.tree.Release(static_cast<AnswerTree::Node>(i));
  }
  state_ = std::move(state);
  return Status();
}

std::unique_ptr<Search> MakeDfsSearch(const SearchOptions& options) {
  return std::make_unique<DfsSearch>(options);
}

}  // namespace heddle
