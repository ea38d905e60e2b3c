#include "strategy/random.h"

#include "strategy/sampler.h"

namespace heddle {

void RandomPolicy::Begin(const Plan& plan) { rng_.Seed(RunSeed(plan)); }

std::size_t RandomPolicy::Choose(const Decision& decision) {
  return rng_.Below(decision.options.size());
}

std::unique_ptr<Policy> MakeRandomPolicy() { return std::make_unique<RandomPolicy>(); }

std::unique_ptr<Search> MakeRandomSearch(const SearchOptions& options) {
  return std::make_unique<SamplerSearch>("random", options.seed);
}

}  // namespace heddle
