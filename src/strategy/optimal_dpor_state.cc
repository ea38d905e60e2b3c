// What OptimalDporSearch has to do: in which order it is taken, how much it is, how it is saved.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "strategy/optimal_dpor.h"
#include "strategy/state_text.h"

namespace heddle {
namespace {

constexpr std::string_view kStateName = "optimal-dpor-4";  // changes with what is written
constexpr std::size_t kMostPooled = std::size_t{128} << 20;

}  // namespace

void OptimalDporSearch::Restart() {
  state_ = State();
  if (estimates_) {
    state_.pool = DescentPool<Work>(Work());
  } else {
    state_.work.emplace_back();
  }
}

OptimalDporSearch::Work OptimalDporSearch::TakeWork() {
  if (state_.pool.size() > 0) return state_.pool.Take();
  Work work = std::move(state_.work.back());
  state_.work.pop_back();
  return work;
}

// The run of `node` led to all work from `before` on.
void OptimalDporSearch::Pool(Descents::Node node, std::size_t before) {
  if (state_.pool.is_over()) return;
  std::vector<Work> works(std::make_move_iterator(state_.work.begin() + std::ptrdiff_t(before)),
                          std::make_move_iterator(state_.work.end()));
  state_.work.resize(before);
  // How much of a run is settled tells how much is left to vary.
  std::vector<std::uint32_t> kinds;
  for (const Work& work : works) {
    kinds.push_back(static_cast<std::uint32_t>(work.prefix.size() + work.road.steps.size()));
    state_.pooled += sizeof(Work) + work.prefix.size() * sizeof(Answer) + work.roles.size() +
                     work.road.steps.size() * sizeof(RoadStep);
  }
  state_.pool.Learn(node, &works, kinds);
  if (state_.pooled > kMostPooled) state_.pool.End();
  if (!state_.pool.is_over()) return;
  const auto keep = [this](Work work) {
    work.node = Descents::kNoNode;
    state_.work.push_back(std::move(work));
  };
  state_.pool.Drain(keep);
  std::ranges::for_each(std::make_move_iterator(works.begin()),
                        std::make_move_iterator(works.end()), keep);
}

OptimalDporSearch::Work* OptimalDporSearch::NewWork() {
  if (spare_.empty()) {
    state_.work.emplace_back();
  } else {
    state_.work.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  Work* const work = &state_.work.back();
  work->prefix.clear();
  work->roles.clear();
  work->road.steps.clear();
  work->road.begins = 0;
  work->road.then_path = 0;
  work->road.then_kind = OpKind::kNone;
  work->road.then_key = 0;
  work->shares.clear();
  work->weight = 0;
  work->node = Descents::kNoNode;
  return work;
}

std::optional<Plan> OptimalDporSearch::Next() {
  if (frontier() == 0) return std::nullopt;
  Plan plan;
  plan.run = ++state_.given;
  plan.seed = seed_;
  plan.policy = "optimal-dpor";
  Work work = TakeWork();
  plan.prefix = work.prefix;
  WriteRoad(work.road, late_, &plan);
  state_.outstanding.emplace(plan.run, std::move(work));
  return plan;
}

void OptimalDporSearch::ShareWeight(double weight, std::size_t before) {
  const double share = weight / static_cast<double>(state_.work.size() - before + 1);
  for (std::size_t i = before; i < state_.work.size(); ++i) state_.work[i].weight = share;
  state_.explored += share;
}

RunEstimate OptimalDporSearch::EstimatedRuns() const {
  const auto made = static_cast<double>(state_.given - state_.outstanding.size());
  const double known = made + static_cast<double>(frontier() + state_.outstanding.size());
  if (known == made) return {made, made, made};
  const RunEstimate estimate = EstimateSize(state_.pool.sizes());
  return estimate.runs == 0 ? estimate : estimate.AtLeast(known);
}

// A plan that is out when the state is saved is lost with its process, so it is saved as work.
std::string OptimalDporSearch::Save() const {
  StateWriter writer;
  writer.Word(kStateName).Number(seed_).Number(state_.given - state_.outstanding.size());
  writer.Number(state_.blocked).Number(state_.lost);
  for (const std::uint64_t path : late_) writer.Number(path);
  writer.Real(state_.explored);
  state_.pool.SaveDescents(&writer);
  writer.Number(frontier() + state_.outstanding.size());
  const auto write = [this, &writer](const Work& work) {
    writer.Number(work.prefix.size());
    for (const Answer& answer : work.prefix) writer.Number(answer.chosen).Number(answer.options);
    writer.Number(work.roles.size());
    for (const Role role : work.roles) writer.Number(static_cast<std::uint64_t>(role));
    writer.Number(work.road.begins).Number(work.road.steps.size());
    for (const RoadStep& step : work.road.steps) writer.Number(step.path).Number(step.wakes);
    writer.Number(work.road.then_path).Number(static_cast<std::uint64_t>(work.road.then_kind));
    writer.Number(work.road.then_key).Real(work.weight);
    writer.Number(work.shares.size());
    for (const Share share : work.shares) writer.Number(static_cast<std::uint64_t>(share));
    writer.Number(state_.pool.is_over() ? Descents::kNoNode : work.node);
  };
  for (const Work& work : state_.work) write(work);
  state_.pool.ForEach(write);
  // Taken from the back: what was given out first is run first again.
  for (auto it = state_.outstanding.rbegin(); it != state_.outstanding.rend(); ++it) {
    write(it->second);
  }
  return writer.Take();
}

Status OptimalDporSearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect(kStateName);
  const std::uint64_t seed = reader.Number();
  State state;
  state.given = reader.Number();
  state.blocked = reader.Number();
  state.lost = reader.Number();
  LateThreads late = {};
  for (std::uint64_t& path : late) path = reader.Number();
  state.explored = reader.Real();
  if (!state.pool.LoadDescents(&reader)) return BadState("optimal-dpor");
  // A count can't exceed the number of characters: a damaged one must not make us allocate.
  const std::uint64_t count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    Work work;
    for (std::uint64_t left = reader.Number(text.size()); left > 0 && reader.ok(); --left) {
      const auto chosen = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
      const auto options = static_cast<std::uint16_t>(reader.Number(UINT16_MAX));
      if (chosen >= options) return BadState("optimal-dpor");
      work.prefix.push_back({chosen, options});
    }
    for (std::uint64_t left = reader.Number(text.size()); left > 0 && reader.ok(); --left) {
      work.roles.push_back(static_cast<Role>(reader.Number(static_cast<int>(Role::kAside))));
    }
    work.road.begins = reader.Number();
    for (std::uint64_t left = reader.Number(text.size()); left > 0 && reader.ok(); --left) {
      const std::uint64_t path = reader.Number();
      work.road.steps.push_back({.path = path, .wakes = reader.Number(UINT32_MAX)});
    }
    work.road.then_path = reader.Number();
    work.road.then_kind = static_cast<OpKind>(reader.Number(kOpKindCount - 1));
    work.road.then_key = reader.Number();
    work.weight = reader.Real();
    for (std::uint64_t left = reader.Number(text.size()); left > 0 && reader.ok(); --left) {
      work.shares.push_back(static_cast<Share>(reader.Number(static_cast<int>(Share::kMayLeave))));
    }
    work.node = static_cast<Descents::Node>(reader.Number(UINT32_MAX));
    if (work.node == Descents::kNoNode) {
      state.work.push_back(std::move(work));
    } else if (!state.pool.PutBack(std::move(work))) {
      return BadState("optimal-dpor");
    }
  }
  if (!reader.ok() || !reader.AtEnd() || seed != seed_) return BadState("optimal-dpor");
  state_ = std::move(state);
  late_ = late;
  return Status();
}

bool OptimalDporSearch::Complete() const {
  return frontier() == 0 && state_.outstanding.empty() && state_.lost == 0;
}

}  // namespace heddle
