#include "strategy/urw.h"

#include "strategy/flat_data.h"
#include "strategy/profiled_search.h"
#include "strategy/sampler.h"

namespace heddle {

void UrwPolicy::Begin(const Plan& plan) {
  rng_.Seed(RunSeed(plan));
  std::span<const std::uint8_t> data = plan.data;
  TakeRows(data, rows_);
  weights_.Begin(rows_);
}

std::size_t UrwPolicy::Choose(const Decision& decision) {
  if (decision.kind != DecisionKind::kThread) return rng_.Below(decision.options.size());
  weights_.Know(decision.view->pending.size());
  // A thread that should have ended but goes on counts as one that has one operation left.
  const auto weight_of = [this](const Option& option) {
    const std::uint64_t left = weights_.Left(option.thread);
    return left > 0 ? left : std::uint64_t{1};
  };
  std::uint64_t total = 0;
  for (const Option& option : decision.options) total += weight_of(option);
  std::uint64_t drawn = rng_.Below(total);
  std::size_t index = 0;
  while (true) {
    const std::uint64_t weight = weight_of(decision.options[index]);
    if (drawn < weight) return index;
    drawn -= weight;
    ++index;
  }
}

void UrwPolicy::Observe(const Event& event, const RunView& view) {
  if (IsPoint(event.kind)) weights_.Executed(event.thread);
  if (event.kind == OpKind::kCreate) weights_.Created(event.thread, view.pending.size());
}

std::unique_ptr<Policy> MakeUrwPolicy() { return std::make_unique<UrwPolicy>(); }

void PrepareUrw(const Profile& profile, Plan& plan) {
  const std::vector<PathWeight> rows =
      WeightsOf(profile, [&](std::uint64_t path) { return profile.threads.at(path).points; });
  AppendRows<PathWeight>(rows, plan.data);
}

std::unique_ptr<Search> MakeUrwSearch(const SearchOptions& options) {
  ProfiledSearch::Plans plans;
  plans.profile.resize(1);
  plans.profile[0].policy = "random";
  plans.sampling.policy = "urw";
  return std::make_unique<ProfiledSearch>(options.seed, plans, PrepareUrw);
}

}  // namespace heddle
