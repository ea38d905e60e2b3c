#include "strategy/pct.h"

#include <algorithm>
#include <string>

#include "strategy/event_priorities.h"
#include "strategy/params.h"
#include "strategy/profiled_search.h"
#include "strategy/sampler.h"

namespace heddle {

void PctPolicy::Begin(const Plan& plan) {
  rng_.Seed(RunSeed(plan));
  depth_ = std::max<std::uint64_t>(plan.params[kDepthParam], 1);
  classic_ = plan.params[kClassicParam] != 0;
  place_ = 0;
  below_all_ = 0;
  slots_.clear();
  slots_.reserve(64);
  points_.clear();
  points_.reserve(depth_ - 1);
  const std::uint64_t length = std::max<std::uint64_t>(plan.params[kLengthParam], 1);
  const std::uint64_t count = classic_ ? depth_ - 1 : std::min(depth_ - 1, length);
  while (points_.size() < count) {
    const std::uint64_t point = rng_.Below(length) + 1;
    const bool taken = std::find(points_.begin(), points_.end(), point) != points_.end();
    if (classic_ || !taken) points_.push_back(point);
  }
}

PctPolicy::ThreadSlot& PctPolicy::SlotOf(ThreadId thread) {
  if (thread >= slots_.size()) slots_.resize(thread + std::size_t{1});
  return slots_[thread];
}

// Drawn when a thread is first considered, so that threads created late take a random place too.
PctPolicy::Priority PctPolicy::PriorityOf(ThreadId thread) {
  ThreadSlot& slot = SlotOf(thread);
  if (!slot.drawn) {
    slot.drawn = true;
    slot.priority = static_cast<Priority>(rng_.Next() >> 2 | std::uint64_t{1} << 61);
  }
  return slot.priority;
}

std::size_t PctPolicy::Highest(const Decision& decision) {
  return HighestOption(decision,
                       [this](const Option& option) { return PriorityOf(option.thread); });
}

bool PctPolicy::ChangeAt(std::uint64_t place, ThreadId thread) {
  bool changed = false;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (points_[i] != place) continue;
    SlotOf(thread) = {.priority = static_cast<Priority>(depth_ - 1 - i), .drawn = true};
    changed = true;
  }
  return changed;
}

void PctPolicy::Drop(ThreadId thread) {
  SlotOf(thread) = {.priority = below_all_--, .drawn = true, .dropped = true};
}

std::size_t PctPolicy::Choose(const Decision& decision) {
  if (decision.kind != DecisionKind::kThread) return rng_.Below(decision.options.size());
  std::size_t best = Highest(decision);
  if (classic_) return best;
  const auto thread_at = [&](std::size_t index) { return decision.options[index].thread; };
  if (ChangeAt(++place_, thread_at(best))) best = Highest(decision);
  while (!SlotOf(thread_at(best)).dropped &&
         OffersToStop(decision.view->pending[thread_at(best)])) {
    Drop(thread_at(best));
    best = Highest(decision);
  }
  if (decision.options[best].outcome == Outcome::kTimeout) Drop(thread_at(best));
  SlotOf(thread_at(best)).dropped = false;
  return best;
}

void PctPolicy::Observe(const Event& event, const RunView& view) {
  (void)view;
  if (IsPoint(event.kind)) ChangeAt(++place_, event.thread);
}

std::unique_ptr<Policy> MakePctPolicy() { return std::make_unique<PctPolicy>(); }

void PreparePct(const Profile& profile, Plan& plan) {
  plan.params[PctPolicy::kLengthParam] =
      plan.params[PctPolicy::kClassicParam] != 0 ? profile.most_events : profile.most_decisions;
}

std::unique_ptr<Search> MakePctSearch(const SearchOptions& options) {
  std::array<std::uint64_t, 8> params = {};
  params[PctPolicy::kDepthParam] = NumberParam(options.params, "depth", 3);
  params[PctPolicy::kLengthParam] = NumberParam(options.params, "k", 0);
  params[PctPolicy::kClassicParam] = SwitchParam(options.params, "classic", false) ? 1 : 0;
  if (params[PctPolicy::kLengthParam] != 0) {
    return std::make_unique<SamplerSearch>("pct", options.seed, params);
  }
  // Measured in two ways: under priorities that never change, and in a random walk. Where a thread
  // has few operations the walk is done with it early and asks no more; where all have many, the
  // priorities finish one thread after the other and ask less than a run with preemptions.
  ProfiledSearch::Plans plans;
  plans.sampling.policy = "pct";
  plans.sampling.params = params;
  plans.profile.resize(2);
  plans.profile[0].policy = "random";
  plans.profile[1].policy = "pct";
  plans.profile[1].params[PctPolicy::kDepthParam] = 1;
  return std::make_unique<ProfiledSearch>(options.seed, plans, PreparePct);
}

}  // namespace heddle
