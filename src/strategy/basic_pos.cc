#include "strategy/basic_pos.h"

#include "strategy/sampler.h"

namespace heddle {

void BasicPosPolicy::Begin(const Plan& plan) { priorities_.Begin(RunSeed(plan)); }

std::size_t BasicPosPolicy::Choose(const Decision& decision) {
  if (decision.kind != DecisionKind::kThread) {
    return priorities_.rng().Below(decision.options.size());
  }
  return HighestOption(decision, [this](const Option& option) { return priorities_.Of(option); });
}

void BasicPosPolicy::Observe(const Event& event, const RunView& view) {
  (void)view;
  priorities_.Executed(event.thread);
}

std::unique_ptr<Policy> MakeBasicPosPolicy() { return std::make_unique<BasicPosPolicy>(); }

std::unique_ptr<Search> MakeBasicPosSearch(const SearchOptions& options) {
  return std::make_unique<SamplerSearch>("basic-pos", options.seed);
}

}  // namespace heddle
