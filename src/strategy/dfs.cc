#include "strategy/dfs.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "strategy/state_text.h"
#include "strategy/whole_run.h"

namespace heddle {

void DfsSearch::Restart() {
  state_ = State();
  state_.paths.Hold(AnswerPaths::kRoot);
  if (estimates_) {
    state_.pool = DescentPool<Whole>(Whole());
  } else {
    state_.whole.emplace_back();
  }
}

// One answer more: a stretch of its own, because any of them may have alternatives.
AnswerPaths::Node DfsSearch::Behind(AnswerPaths::Node path, Answer answer) {
  return state_.paths.Add(
      {.parent = path, .kept = state_.paths[path].count, .count = 1, .answer = answer});
}

// Its next option, with a reference to the path there; after the last one the branch holds no path
// any more.
AnswerPaths::Node DfsSearch::TakeFrom(Branch* branch) {
  const AnswerPaths::Node node = Behind(branch->path, {branch->next, branch->options});
  ++branch->next;
  if (branch->next == branch->taken) ++branch->next;
  if (branch->next >= branch->options) state_.paths.Release(branch->path);
  return node;
}

// The next path to run, with a reference to it.
std::optional<DfsSearch::Whole> DfsSearch::TakeWork() {
  if (state_.pool.size() > 0) return state_.pool.Take();
  if (!state_.whole.empty()) {
    const Whole whole = state_.whole.back();
    state_.whole.pop_back();
    return whole;
  }
  if (state_.branches.empty()) return std::nullopt;
  Branch& branch = state_.branches.back();
  const AnswerPaths::Node path = TakeFrom(&branch);
  if (branch.next >= branch.options) state_.branches.pop_back();
  return Whole{.path = path};
}

// The run of `node` left all branches from `before` on, the first of them at decision `depth`: each
// of their options is a run that the descents may want. Where it leaves this one tells how much is
// left to vary.
void DfsSearch::Pool(Descents::Node node, std::size_t before, std::size_t depth) {
  if (state_.pool.is_over()) return;
  std::vector<Whole> works;
  std::vector<std::uint32_t> kinds;
  for (std::size_t i = before; i < state_.branches.size(); ++i) {
    Branch& branch = state_.branches[i];
    while (branch.next < branch.options) {
      works.push_back({.path = TakeFrom(&branch)});
      kinds.push_back(static_cast<std::uint32_t>(depth + i - before));
    }
  }
  state_.branches.resize(before);
  state_.pool.Learn(node, &works, kinds);
  if (!state_.pool.is_over()) return;
  state_.pool.Drain([this](const Whole& whole) { state_.whole.push_back(whole); });
  state_.whole.insert(state_.whole.end(), works.begin(), works.end());
}

RunEstimate DfsSearch::EstimatedRuns() const {
  const auto made = static_cast<double>(state_.given - state_.outstanding.size());
  const double known =
      made + static_cast<double>(frontier() + state_.whole.size() + state_.outstanding.size());
  if (known == made) return {made, made, made};
  const RunEstimate estimate = EstimateSize(state_.pool.sizes());
  return estimate.runs == 0 ? estimate : estimate.AtLeast(known);
}

std::optional<Plan> DfsSearch::Next() {
  const std::optional<Whole> work = TakeWork();
  if (!work) return std::nullopt;
  Plan plan;
  plan.run = ++state_.given;
  plan.seed = seed_;
  plan.policy = "dfs";
  plan.prefix = state_.paths.PathTo(work->path);
  state_.outstanding.emplace(plan.run, *work);
  return plan;
}

void DfsSearch::Learn(const Plan& plan, const RunTrace& trace) {
  const auto out = state_.outstanding.find(plan.run);
  if (out == state_.outstanding.end()) return;  // of a search before Restart
  AnswerPaths::Node path = out->second.path;
  const Descents::Node node = out->second.node;
  const std::size_t before = state_.branches.size();
  state_.outstanding.erase(out);
  state_.hidden_time.Learn(trace);
  const bool follows = FollowsPrefix(plan, trace);
  if (!follows || !IsWhole(trace) || WasCutShort(trace)) ++state_.lost;
  if (!follows) {
    // What lies behind a prefix that was not followed belongs to another part of the tree.
    state_.paths.Release(path);
    if (node != Descents::kNoNode) Pool(node, before, 0);
    return;
  }
  // `path` is held by us while we walk down; each branch holds its own reference.
  for (std::size_t i = plan.prefix.size(); i < trace.decisions.size(); ++i) {
    const DecisionRecord& decision = trace.decisions[i];
    Branch branch{.path = path, .options = decision.options, .taken = decision.chosen};
    if (branch.taken == 0) branch.next = 1;
    if (branch.next < branch.options) {
      state_.paths.Hold(path);
      state_.branches.push_back(branch);
    }
    const AnswerPaths::Node child = Behind(path, {decision.chosen, decision.options});
    state_.paths.Release(path);
    path = child;
  }
  state_.paths.Release(path);
  if (node != Descents::kNoNode) Pool(node, before, plan.prefix.size());
}

bool DfsSearch::Complete() const {
  return frontier() == 0 && state_.whole.empty() && state_.outstanding.empty() &&
         state_.lost == 0 && !state_.hidden_time.found();
}

// A plan that is out when the state is saved is lost with its process, so it is saved as a path to
// run again.
std::string DfsSearch::Save() const {
  // Taken from the back: what was given out first is run first again.
  std::vector<Whole> whole = state_.whole;
  state_.pool.ForEach([&](const Whole& each) { whole.push_back(each); });
  for (auto it = state_.outstanding.rbegin(); it != state_.outstanding.rend(); ++it) {
    whole.push_back(it->second);
  }
  std::vector<AnswerPaths::Node> needed;
  for (const Branch& branch : state_.branches) needed.push_back(branch.path);
  for (const Whole& each : whole) needed.push_back(each.path);

  StateWriter writer;
  writer.Word("dfs").Word("descents-2").Number(seed_);
  writer.Number(state_.given - state_.outstanding.size()).Number(state_.lost);
  writer.Number(state_.hidden_time.found() ? 1 : 0);
  const std::vector<std::uint32_t> number = state_.paths.Save(needed, &writer);
  writer.Number(state_.branches.size());
  for (const Branch& branch : state_.branches) {
    writer.Number(number[branch.path]).Number(branch.options);
    writer.Number(branch.taken).Number(branch.next);
  }
  state_.pool.SaveDescents(&writer);
  writer.Number(whole.size());
  for (const Whole& each : whole) {
    writer.Number(number[each.path]);
    writer.Number(state_.pool.is_over() ? Descents::kNoNode : each.node);
  }
  return writer.Take();
}

Status DfsSearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect("dfs");
  reader.Expect("descents-2");
  const std::uint64_t seed = reader.Number();
  State state;
  state.given = reader.Number();
  state.lost = reader.Number();
  state.hidden_time.Load(reader.Number(1) != 0);
  // A count can't exceed the number of characters: a damaged one must not make us allocate.
  if (!state.paths.Load(&reader, text.size())) return BadState("dfs");
  const std::size_t node_count = state.paths.size();
  const std::uint64_t branch_count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < branch_count && reader.ok(); ++i) {
    Branch branch;
    branch.path = static_cast<AnswerPaths::Node>(reader.Number(node_count));
    branch.options = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    branch.taken = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    branch.next = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
    if (branch.taken >= branch.options || branch.next >= branch.options ||
        branch.next == branch.taken) {
      return BadState("dfs");
    }
    state.paths.Hold(branch.path);
    state.branches.push_back(branch);
  }
  if (!state.pool.LoadDescents(&reader)) return BadState("dfs");
  const std::uint64_t whole_count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < whole_count && reader.ok(); ++i) {
    Whole whole;
    whole.path = static_cast<AnswerPaths::Node>(reader.Number(node_count));
    whole.node = static_cast<Descents::Node>(reader.Number(UINT32_MAX));
    state.paths.Hold(whole.path);
    if (whole.node == Descents::kNoNode) {
      state.whole.push_back(whole);
    } else if (!state.pool.PutBack(whole)) {
      return BadState("dfs");
    }
  }
  if (!reader.ok() || !reader.AtEnd() || seed != seed_) return BadState("dfs");
  // The references of Add were ours; a node that nothing needs goes with them.
  for (std::size_t i = node_count; i >= 1; --i) {
    state.paths.Release(static_cast<AnswerPaths::Node>(i));
  }
  state_ = std::move(state);
  return Status();
}

std::unique_ptr<Search> MakeDfsSearch(const SearchOptions& options) {
  return std::make_unique<DfsSearch>(options);
}

}  // namespace heddle
