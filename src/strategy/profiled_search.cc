#include "strategy/profiled_search.h"

#include <algorithm>
#include <utility>

#include "strategy/state_text.h"

namespace heddle {

ProfiledSearch::ProfiledSearch(std::uint64_t seed, Plans plans, Prepare prepare)
    : seed_(seed), plans_(std::move(plans)), prepare_(std::move(prepare)) {}

void ProfiledSearch::PreparePlan() {
  prepared_ = plans_.sampling;
  prepare_(state_.profile, prepared_);
}

std::optional<Plan> ProfiledSearch::Next() {
  const bool profiling = state_.given < kProfileRuns;
  if (!profiling && !IsProfiled()) return std::nullopt;
  Plan plan = profiling ? plans_.profile[state_.given % plans_.profile.size()] : prepared_;
  plan.seed = seed_;
  plan.run = ++state_.given;
  return plan;
}

void ProfiledSearch::Learn(const Plan& plan, const RunTrace& trace) {
  if (plan.run == 0 || plan.run > kProfileRuns) return;
  if (!state_.learnt.insert(plan.run).second) return;
  state_.profile.Add(trace);
  if (IsProfiled()) PreparePlan();
}

void ProfiledSearch::Restart() { state_ = State(); }

// While profiling, the runs that are out are lost with their process. They are few, so the profile
// starts afresh.
std::string ProfiledSearch::Save() const {
  StateWriter writer;
  writer.Word(plans_.sampling.policy).Number(seed_).Number(IsProfiled() ? state_.given : 0);
  if (IsProfiled()) state_.profile.Write(writer);
  return writer.Take();
}

Status ProfiledSearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect(plans_.sampling.policy);
  const std::uint64_t seed = reader.Number();
  State state;
  state.given = reader.Number();
  if (state.given > 0) {
    state.profile = Profile::Read(reader);
    for (std::uint64_t run = 1; run <= kProfileRuns; ++run) state.learnt.insert(run);
  }
  if (!reader.ok() || !reader.AtEnd() || seed != seed_) return BadState(plans_.sampling.policy);
  state_ = std::move(state);
  if (IsProfiled()) PreparePlan();
  return Status();
}

}  // namespace heddle
