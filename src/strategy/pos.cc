#include "strategy/pos.h"

#include "strategy/sampler.h"

namespace heddle {
namespace {

// The paper's fairness rule: all priorities are void after so many voluntary switches (a yield, a
// sleep, a wait that timed out), or a loop that waits by them could wait very long for a thread
// with a low priority.
constexpr std::uint32_t kYieldsPerReset = 1000;

}  // namespace

void PosPolicy::Begin(const Plan& plan) {
  priorities_.Begin(RunSeed(plan));
  versions_.Begin(plan.params[kReadRelaxedParam] != 0);
  yields_ = 0;
}

std::size_t PosPolicy::Choose(const Decision& decision) {
  if (decision.kind != DecisionKind::kThread) {
    return priorities_.rng().Below(decision.options.size());
  }
  return HighestOption(decision, [&](const Option& option) {
    return priorities_.Of(option, versions_.VersionFor(decision.view->pending[option.thread]));
  });
}

void PosPolicy::Answered(const Decision& decision, std::size_t chosen) {
  versions_.Answered(decision, chosen);
}

void PosPolicy::Observe(const Event& event, const RunView& view) {
  (void)view;
  priorities_.Executed(event.thread);
  versions_.Touch(event.object, event.kind);
  const bool offers = event.kind == OpKind::kYield || event.kind == OpKind::kSleep ||
                      (event.flags & Event::kTimedOut) != 0;
  if (offers && ++yields_ == kYieldsPerReset) {
    yields_ = 0;
    priorities_.Redraw();
  }
}

std::unique_ptr<Policy> MakePosPolicy() { return std::make_unique<PosPolicy>(); }

std::unique_ptr<Search> MakePosSearch(const SearchOptions& options) {
  std::array<std::uint64_t, 8> params = {};
  const auto relaxed = options.params.find("read-relaxed");
  params[PosPolicy::kReadRelaxedParam] =
      relaxed == options.params.end() || relaxed->second == "on" ? 1 : 0;
  return std::make_unique<SamplerSearch>("pos", options.seed, params);
}

}  // namespace heddle
