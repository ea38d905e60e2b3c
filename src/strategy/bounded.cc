#include "strategy/bounded.h"

#include <bit>
#include <utility>

#include "strategy/params.h"
#include "strategy/state_text.h"
#include "strategy/whole_run.h"

namespace heddle {
namespace {

constexpr std::uint64_t kDefaultBound = 2;

// Thread of the nth option: options are ordered by thread.
ThreadId ThreadOf(const DecisionRecord& decision, std::uint16_t option) {
  std::uint64_t left = decision.among;
  for (; option > 0 && left != 0; --option) left &= left - 1;
  return left == 0 ? kNoThread : static_cast<ThreadId>(std::countr_zero(left));
}

}  // namespace

BoundedSearch::BoundedSearch(const SearchOptions& options, Cost cost)
    : seed_(options.seed),
      cost_(cost),
      bound_(static_cast<std::uint32_t>(NumberParam(options.params, "bound", kDefaultBound))) {
  Restart();
}

void BoundedSearch::Restart() {
  state_ = State();
  state_.work[0].push_back(AnswerTree::kRoot);
  state_.tree.Hold(AnswerTree::kRoot);
}

std::uint32_t BoundedSearch::CostOf(const DecisionRecord& decision, std::uint16_t option) const {
  if (decision.kind != DecisionKind::kThread) return 0;
  if (cost_ == Cost::kDelays) {
    return static_cast<std::uint32_t>((option + decision.options - decision.chosen) %
                                      decision.options);
  }
  // Where the rule itself leaves a thread that could go on, that thread has offered to stop.
  const bool stays = decision.current_enabled && decision.thread == decision.current;
  return stays && ThreadOf(decision, option) != decision.current ? 1 : 0;
}

std::optional<Plan> BoundedSearch::Next() {
  while (!state_.work.empty() && state_.work.begin()->second.empty()) {
    state_.work.erase(state_.work.begin());
  }
  if (state_.work.empty()) return std::nullopt;
  const std::uint32_t cost = state_.work.begin()->first;
  for (const auto& [run, out] : state_.outstanding) {
    if (out.cost < cost) return std::nullopt;
  }
  std::vector<AnswerTree::Node>& stack = state_.work.begin()->second;
  const AnswerTree::Node path = stack.back();
  stack.pop_back();
  Plan plan;
  plan.run = ++state_.given;
  plan.seed = seed_;
  plan.policy = name();
  plan.prefix = state_.tree.PathTo(path);
  state_.reached = cost;
  state_.outstanding.emplace(plan.run, Work{.path = path, .cost = cost});
  return plan;
}

void BoundedSearch::Learn(const Plan& plan, const RunTrace& trace) {
  const auto out = state_.outstanding.find(plan.run);
  if (out == state_.outstanding.end()) return;  // of a search before Restart
  const Work work = out->second;
  state_.outstanding.erase(out);
  AnswerTree::Node path = work.path;
  const bool follows = FollowsPrefix(plan, trace);
  if (!follows || !IsWhole(trace)) ++state_.lost;
  for (std::size_t i = plan.prefix.size(); follows && i < trace.decisions.size(); ++i) {
    const DecisionRecord& decision = trace.decisions[i];
    for (std::uint16_t option = decision.options; option-- > 0;) {
      if (option == decision.chosen) continue;
      const std::uint32_t cost = work.cost + CostOf(decision, option);
      if (cost > bound_) {
        state_.cut = true;
        continue;
      }
      state_.work[cost].push_back(state_.tree.Add(path, {option, decision.options}));
    }
    const AnswerTree::Node child = state_.tree.Add(path, {decision.chosen, decision.options});
    state_.tree.Release(path);
    path = child;
  }
  state_.tree.Release(path);
}

bool BoundedSearch::Complete() const {
  if (!state_.outstanding.empty() || state_.lost != 0 || state_.cut) return false;
  for (const auto& [cost, paths] : state_.work) {
    if (!paths.empty()) return false;
  }
  return true;
}

std::string BoundedSearch::Remark() const {
  const std::string what = cost_ == Cost::kPreemptions ? " preemptions" : " delays";
  std::size_t left = state_.outstanding.size();
  for (const auto& [cost, paths] : state_.work) left += paths.size();
  if (left != 0) {
    return "The search was at interleavings with " + std::to_string(state_.reached) + what + ".";
  }
  if (!state_.cut) return {};
  return "All interleavings with at most " + std::to_string(bound_) + what +
         " were run; there are others.";
}

// Nodes are written parents first, numbered anew from 1; plans that are out are saved as work.
std::string BoundedSearch::Save() const {
  std::vector<Work> work;
  for (const auto& [cost, paths] : state_.work) {
    for (const AnswerTree::Node path : paths) work.push_back({.path = path, .cost = cost});
  }
  for (auto it = state_.outstanding.rbegin(); it != state_.outstanding.rend(); ++it) {
    work.push_back(it->second);
  }
  StateWriter writer;
  writer.Word(name()).Number(seed_).Number(bound_);
  writer.Number(state_.given - state_.outstanding.size()).Number(state_.lost);
  writer.Number(state_.reached).Number(state_.cut ? 1 : 0).Number(work.size());
  for (const Work& each : work) {
    const std::vector<Answer> path = state_.tree.PathTo(each.path);
    writer.Number(each.cost).Number(path.size());
    for (const Answer& answer : path) writer.Number(answer.chosen).Number(answer.options);
  }
  return writer.Take();
}

Status BoundedSearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect(name());
  const std::uint64_t seed = reader.Number();
  const std::uint64_t bound = reader.Number();
  State state;
  state.given = reader.Number();
  state.lost = reader.Number();
  state.reached = static_cast<std::uint32_t>(reader.Number(UINT32_MAX));
  state.cut = reader.Number(1) != 0;
  const std::uint64_t count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    const auto cost = static_cast<std::uint32_t>(reader.Number(UINT32_MAX));
    AnswerTree::Node path = AnswerTree::kRoot;
    state.tree.Hold(path);
    for (std::uint64_t left = reader.Number(text.size()); left > 0 && reader.ok(); --left) {
      const auto chosen = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
      const auto options = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
      if (chosen >= options) return BadState(name());
      const AnswerTree::Node child = state.tree.Add(path, {chosen, options});
      state.tree.Release(path);
      path = child;
    }
    state.work[cost].push_back(path);
  }
  if (!reader.ok() || !reader.AtEnd() || seed != seed_ || bound != bound_) return BadState(name());
  state_ = std::move(state);
  return Status();
}

std::unique_ptr<Search> MakePcbSearch(const SearchOptions& options) {
  return std::make_unique<BoundedSearch>(options, Cost::kPreemptions);
}

std::unique_ptr<Search> MakeDelaySearch(const SearchOptions& options) {
  return std::make_unique<BoundedSearch>(options, Cost::kDelays);
}

}  // namespace heddle
