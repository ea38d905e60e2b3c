#include "strategy/bounded.h"

#include <algorithm>
#include <bit>
#include <span>
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
      estimates_(options.estimates),
      cost_(cost),
      bound_(static_cast<std::uint32_t>(NumberParam(options.params, "bound", kDefaultBound))) {
  Restart();
}

void BoundedSearch::Restart() {
  state_ = State();
  state_.levels[0].whole.emplace_back();
  state_.paths.Hold(AnswerPaths::kRoot);
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

bool BoundedSearch::CostsTheSame(const DecisionRecord& one, const DecisionRecord& other) const {
  if (one.chosen != other.chosen || one.options != other.options) return false;
  for (std::uint16_t option = 0; option < one.options; ++option) {
    if (CostOf(one, option) != CostOf(other, option)) return false;
  }
  return true;
}

// Behind one option of the nth decision of its stretch, from 0.
double BoundedSearch::ExpectedOf(const Alternatives& each, std::uint32_t nth) const {
  const std::uint32_t count = state_.paths[each.stretch].count;
  if (count <= 1) return each.expected_first;
  return each.expected_first + (each.expected_last - each.expected_first) *
                                   static_cast<double>(nth) / static_cast<double>(count - 1);
}

// Of the decision that is being tried; those before it have all theirs.
std::uint32_t BoundedSearch::OptionsLeft(const Alternatives& each) const {
  const Answer answer = state_.paths[each.stretch].answer;
  if (each.only) return 1;
  return answer.options - each.option - (answer.chosen > each.option ? 1U : 0U);
}

// The next path to run, with a reference to it.
BoundedSearch::Whole BoundedSearch::TakeFrom(Level* level) {
  if (!level->whole.empty()) {
    const Whole whole = level->whole.back();
    level->whole.pop_back();
    return whole;
  }
  Alternatives& next = level->alternatives.back();
  const Answer answer = state_.paths[next.stretch].answer;
  Whole whole;
  whole.path = state_.paths.Add({.parent = next.stretch,
                                 .kept = next.left - 1,
                                 .count = 1,
                                 .answer = {next.option, answer.options}});
  whole.expected = ExpectedOf(next, next.left - 1);
  if (!next.only) {
    ++next.option;
    if (next.option == answer.chosen) ++next.option;
  }
  if (next.only || next.option >= answer.options) {
    if (!next.only) next.option = answer.chosen == 0 ? 1 : 0;
    if (--next.left == 0) {
      state_.paths.Release(next.stretch);
      level->alternatives.pop_back();
    }
  }
  return whole;
}

std::optional<Plan> BoundedSearch::Next() {
  while (!state_.levels.empty() && state_.levels.begin()->second.whole.empty() &&
         state_.levels.begin()->second.alternatives.empty()) {
    state_.levels.erase(state_.levels.begin());
  }
  if (state_.levels.empty()) return std::nullopt;
  const std::uint32_t cost = state_.levels.begin()->first;
  for (const auto& [run, out] : state_.outstanding) {
    if (out.cost < cost) return std::nullopt;
  }
  const Whole whole = TakeFrom(&state_.levels.begin()->second);
  Plan plan;
  plan.run = ++state_.given;
  plan.seed = seed_;
  plan.policy = name();
  plan.prefix = state_.paths.PathTo(whole.path);
  state_.reached = cost;
  state_.outstanding.emplace(plan.run, Out{.whole = whole, .cost = cost});
  return plan;
}

// The other options of a stretch of decisions like this one, behind a path of this cost.
void BoundedSearch::Leave(const DecisionRecord& decision, std::uint32_t cost,
                          const Stretch& stretch) {
  const std::uint16_t first = decision.chosen == 0 ? 1 : 0;
  bool is_uniform = true;
  for (std::uint16_t option = first; option < decision.options; ++option) {
    if (option == decision.chosen) continue;
    is_uniform = is_uniform && CostOf(decision, option) == CostOf(decision, first);
  }
  const auto push = [&](std::uint16_t option, bool only) {
    const std::uint32_t dearer = cost + CostOf(decision, option);
    if (dearer > bound_) {
      state_.cut = true;
      return;
    }
    state_.paths.Hold(stretch.path);
    Alternatives each = {.stretch = stretch.path,
                         .left = state_.paths[stretch.path].count,
                         .option = option,
                         .only = only};
    if (estimates_) {
      each.expected_first = state_.forecast.Behind(stretch.first, dearer - cost);
      each.expected_last = state_.forecast.Behind(stretch.end - 1, dearer - cost);
    }
    state_.levels[dearer].alternatives.push_back(each);
  };
  if (is_uniform) {
    push(first, false);
    return;
  }
  for (std::uint16_t option = decision.options; option-- > 0;) {
    if (option != decision.chosen) push(option, true);
  }
}

void BoundedSearch::Learn(const Plan& plan, const RunTrace& trace) {
  const auto out = state_.outstanding.find(plan.run);
  if (out == state_.outstanding.end()) return;  // of a search before Restart
  const std::uint32_t cost = out->second.cost;
  AnswerPaths::Node path = out->second.whole.path;
  const double expected = out->second.whole.expected;
  state_.outstanding.erase(out);
  state_.hidden_time.Learn(trace);
  const bool follows = FollowsPrefix(plan, trace);
  if (!follows || !IsWhole(trace) || WasCutShort(trace)) ++state_.lost;
  const std::span<const DecisionRecord> decisions = trace.decisions;
  const std::size_t known = plan.prefix.size();
  if (estimates_ && follows) {
    state_.forecast.Look(decisions.subspan(known), bound_ - cost,
                         [this](const DecisionRecord& decision, std::uint16_t option) {
                           return CostOf(decision, option);
                         });
    state_.forecast.Compare(expected);
  }
  for (std::size_t i = known; follows && i < decisions.size();) {
    const DecisionRecord& decision = decisions[i];
    std::size_t end = i + 1;
    while (end < decisions.size() && CostsTheSame(decision, decisions[end])) ++end;
    const AnswerPaths::Node stretch =
        state_.paths.Add({.parent = path,
                          .kept = state_.paths[path].count,
                          .count = static_cast<std::uint32_t>(end - i),
                          .answer = {decision.chosen, decision.options}});
    state_.paths.Release(path);
    Leave(decision, cost, {.path = stretch, .first = i - known, .end = end - known});
    path = stretch;
    i = end;
  }
  state_.paths.Release(path);
}

RunEstimate BoundedSearch::EstimatedRuns() const {
  const auto made = static_cast<double>(state_.given - state_.outstanding.size());
  double known = 0, expected = 0;
  const auto add = [&](double runs, double of_each) {
    known += runs;
    expected += runs * of_each;
  };
  for (const auto& [run, out] : state_.outstanding) add(1, out.whole.expected);
  for (const auto& [cost, level] : state_.levels) {
    for (const Whole& each : level.whole) add(1, each.expected);
    for (const Alternatives& each : level.alternatives) {
      add(OptionsLeft(each), ExpectedOf(each, each.left - 1));
      if (each.left == 1) continue;
      const double options = each.only ? 1 : state_.paths[each.stretch].answer.options - 1.0;
      // The mean of a straight line is in its middle.
      const double mean = (ExpectedOf(each, 0) + ExpectedOf(each, each.left - 2)) / 2;
      add(options * (each.left - 1.0), mean);
    }
  }
  return state_.forecast.Estimate(made, known, expected);
}

bool BoundedSearch::HasWork() const {
  return !state_.outstanding.empty() ||
         std::any_of(state_.levels.begin(), state_.levels.end(), [](const auto& level) {
           return !level.second.alternatives.empty() || !level.second.whole.empty();
         });
}

bool BoundedSearch::Complete() const {
  return !HasWork() && state_.lost == 0 && !state_.cut && !state_.hidden_time.found();
}

std::string BoundedSearch::Remark() const {
  const std::string what = cost_ == Cost::kPreemptions ? " preemptions" : " delays";
  if (HasWork()) {
    return "The search was at interleavings with " + std::to_string(state_.reached) + what + ".";
  }
  if (!state_.cut) return state_.hidden_time.Remark();
  return "All interleavings with at most " + std::to_string(bound_) + what +
         " were run; there are others.";
}

// Plans that are out are saved as paths to run again, those given out first to be run first.
std::string BoundedSearch::Save() const {
  std::map<std::uint32_t, Level> levels = state_.levels;
  for (auto it = state_.outstanding.rbegin(); it != state_.outstanding.rend(); ++it) {
    levels[it->second.cost].whole.push_back(it->second.whole);
  }
  std::vector<AnswerPaths::Node> needed;
  for (const auto& [cost, level] : levels) {
    for (const Alternatives& each : level.alternatives) needed.push_back(each.stretch);
    for (const Whole& each : level.whole) needed.push_back(each.path);
  }
  StateWriter writer;
  writer.Word(name()).Word("stretches-2").Number(seed_).Number(bound_);
  writer.Number(state_.given - state_.outstanding.size()).Number(state_.lost);
  writer.Number(state_.reached)
      .Number(state_.cut ? 1 : 0)
      .Number(state_.hidden_time.found() ? 1 : 0);
  const std::vector<std::uint32_t> number = state_.paths.Save(needed, &writer);
  writer.Number(levels.size());
  for (const auto& [cost, level] : levels) {
    writer.Number(cost).Number(level.alternatives.size());
    for (const Alternatives& each : level.alternatives) {
      writer.Number(number[each.stretch]).Number(each.left).Number(each.option);
      writer.Number(each.only ? 1 : 0).Real(each.expected_first).Real(each.expected_last);
    }
    writer.Number(level.whole.size());
    for (const Whole& each : level.whole) writer.Number(number[each.path]).Real(each.expected);
  }
  state_.forecast.Save(&writer);
  return writer.Take();
}

Status BoundedSearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect(name());
  reader.Expect("stretches-2");
  const std::uint64_t seed = reader.Number();
  const std::uint64_t bound = reader.Number();
  State state;
  state.given = reader.Number();
  state.lost = reader.Number();
  state.reached = static_cast<std::uint32_t>(reader.Number(UINT32_MAX));
  state.cut = reader.Number(1) != 0;
  state.hidden_time.Load(reader.Number(1) != 0);
  // A count can't exceed the number of characters: a damaged one must not make us allocate.
  if (!state.paths.Load(&reader, text.size())) return BadState(name());
  const std::size_t nodes = state.paths.size();
  for (std::uint64_t left = reader.Number(text.size()); left > 0 && reader.ok(); --left) {
    Level& level = state.levels[static_cast<std::uint32_t>(reader.Number(UINT32_MAX))];
    for (std::uint64_t i = reader.Number(text.size()); i > 0 && reader.ok(); --i) {
      Alternatives each;
      each.stretch = static_cast<AnswerPaths::Node>(reader.Number(nodes));
      const AnswerPaths::Stretch& stretch = state.paths[each.stretch];
      each.left = static_cast<std::uint32_t>(reader.Number(stretch.count));
      each.option = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
      each.only = reader.Number(1) != 0;
      each.expected_first = reader.Real();
      each.expected_last = reader.Real();
      if (each.left == 0 || each.option >= stretch.answer.options ||
          each.option == stretch.answer.chosen) {
        return BadState(name());
      }
      state.paths.Hold(each.stretch);
      level.alternatives.push_back(each);
    }
    for (std::uint64_t i = reader.Number(text.size()); i > 0 && reader.ok(); --i) {
      Whole whole;
      whole.path = static_cast<AnswerPaths::Node>(reader.Number(nodes));
      whole.expected = reader.Real();
      state.paths.Hold(whole.path);
      level.whole.push_back(whole);
    }
  }
  state.forecast.Load(&reader);
  if (!reader.ok() || !reader.AtEnd() || seed != seed_ || bound != bound_) return BadState(name());
  // The references of Load were ours; a stretch that nothing needs goes with them.
  for (std::size_t node = nodes; node >= 1; --node) {
    state.paths.Release(static_cast<AnswerPaths::Node>(node));
  }
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
