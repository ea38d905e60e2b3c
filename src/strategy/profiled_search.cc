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
  const std::uint64_t nth = state_.given + 1 - state_.first;
  const bool profiling = nth < kProfileRuns;
  if (!profiling && !IsProfiled()) return std::nullopt;
  Plan plan = profiling ? plans_.profile[nth % plans_.profile.size()] : prepared_;
  plan.seed = seed_;
  plan.run = ++state_.given;
  return plan;
}

void ProfiledSearch::Learn(const Plan& plan, const RunTrace& trace) {
  if (plan.run < state_.first || plan.run >= state_.first + kProfileRuns) return;
  if (!state_.learnt.insert(plan.run).second) return;
  state_.profile.Add(trace);
  if (IsProfiled()) PreparePlan();
}

void ProfiledSearch::Restart() { state_ = State(); }

void ProfiledSearch::Rewind(std::uint64_t last) {
  state_ = State();
  state_.first = last + 1;
  state_.given = last;
}

// Runs of the profile that are out are lost with their process: then it starts afresh.
std::string ProfiledSearch::Save() const {
  const std::uint64_t given = state_.given + 1 - state_.first;
  const bool is_whole = IsProfiled() || state_.learnt.size() == given;
  StateWriter writer;
  writer.Word(plans_.sampling.policy).Number(seed_).Number(state_.first);
  writer.Number(is_whole ? state_.given : state_.first - 1);
  if (is_whole && given > 0) state_.profile.Write(writer);
  return writer.Take();
}

Status ProfiledSearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect(plans_.sampling.policy);
  const std::uint64_t seed = reader.Number();
  State state;
  state.first = reader.Number();
  state.given = reader.Number();
  if (state.given >= state.first) {
    state.profile = Profile::Read(reader);
    const std::uint64_t learnt = std::min(state.given + 1 - state.first, kProfileRuns);
    for (std::uint64_t i = 0; i < learnt; ++i) state.learnt.insert(state.first + i);
  }
  if (state.first == 0 || state.given + 1 < state.first) return BadState(plans_.sampling.policy);
  if (!reader.ok() || !reader.AtEnd() || seed != seed_) return BadState(plans_.sampling.policy);
  state_ = std::move(state);
  if (IsProfiled()) PreparePlan();
  return Status();
}

}  // namespace heddle
