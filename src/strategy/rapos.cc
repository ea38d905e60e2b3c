#include "strategy/rapos.h"

#include "strategy/sampler.h"

namespace heddle {
namespace {

constexpr std::uint32_t kOperationsPerReset = 1000;

}  // namespace

void RaposPolicy::Begin(const Plan& plan) {
  rng_ = Rng(RunSeed(plan));
  versions_.Begin(/*reads_commute=*/true);
  slots_.clear();
  slots_.reserve(64);
  may_pass_ = false;
  generation_ = 0;
  since_reset_ = 0;
}

RaposPolicy::Slot& RaposPolicy::SlotOf(ThreadId thread) {
  if (thread >= slots_.size()) slots_.resize(thread + std::size_t{1});
  return slots_[thread];
}

std::size_t RaposPolicy::CountAt(const Decision& decision, Place place) {
  std::size_t count = 0;
  for (const Option& option : decision.options) count += SlotOf(option.thread).place == place;
  return count;
}

std::size_t RaposPolicy::NthAt(const Decision& decision, Place place, std::size_t nth) {
  std::size_t index = 0;
  while (SlotOf(decision.options[index].thread).place != place || nth-- > 0) ++index;
  return index;
}

void RaposPolicy::Arrange(const Decision& decision) {
  for (const Option& option : decision.options) {
    Slot& slot = SlotOf(option.thread);
    const std::uint64_t version = versions_.VersionFor(decision.view->pending[option.thread]);
    if (slot.version == version && slot.generation == generation_) continue;
    slot = {.place = Place::kNextBatch, .generation = generation_, .version = version};
  }
}

std::size_t RaposPolicy::Choose(const Decision& decision) {
  if (decision.kind != DecisionKind::kThread) return rng_.Below(decision.options.size());
  Arrange(decision);
  while (true) {
    const std::size_t candidates = CountAt(decision, Place::kCandidate);
    if (candidates > 0) {
      const std::size_t nth = rng_.Below(candidates);
      const std::size_t index = NthAt(decision, Place::kCandidate, nth);
      const bool pass = may_pass_ && rng_.Below(2) == 0;
      if (!pass) return index;
      SlotOf(decision.options[index].thread).place = Place::kPassedOver;
      continue;
    }
    may_pass_ = false;
    if (CountAt(decision, Place::kNextBatch) > 0) {
      for (const Option& option : decision.options) {
        Slot& slot = SlotOf(option.thread);
        if (slot.place == Place::kNextBatch) slot.place = Place::kCandidate;
      }
      continue;
    }
    return rng_.Below(decision.options.size());
  }
}

void RaposPolicy::Answered(const Decision& decision, std::size_t chosen) {
  versions_.Answered(decision, chosen);
}

void RaposPolicy::Observe(const Event& event, const RunView& view) {
  (void)view;
  versions_.Touch(event.object, event.kind);
  SlotOf(event.thread).place = Place::kNextBatch;
  may_pass_ = true;
  if (event.kind == OpKind::kYield || ++since_reset_ == kOperationsPerReset) {
    since_reset_ = 0;
    ++generation_;
  }
}

std::unique_ptr<Policy> MakeRaposPolicy() { return std::make_unique<RaposPolicy>(); }

std::unique_ptr<Search> MakeRaposSearch(const SearchOptions& options) {
  return std::make_unique<SamplerSearch>("rapos", options.seed);
}

}  // namespace heddle
