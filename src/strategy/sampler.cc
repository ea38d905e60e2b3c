#include "strategy/sampler.h"

#include "strategy/state_text.h"

namespace heddle {

std::optional<Plan> SamplerSearch::Next() {
  Plan plan;
  plan.run = ++given_;
  plan.seed = seed_;
  plan.policy = policy_;
  plan.params = params_;
  return plan;
}

std::string SamplerSearch::Save() const {
  return StateWriter().Word(policy_).Number(seed_).Number(given_).Take();
}

Status SamplerSearch::Load(std::string_view state) {
  StateReader reader(state);
  reader.Expect(policy_);
  const std::uint64_t seed = reader.Number();
  const std::uint64_t given = reader.Number();
  if (!reader.ok() || !reader.AtEnd() || seed != seed_) return BadState(policy_);
  given_ = given;
  return Status();
}

}  // namespace heddle
