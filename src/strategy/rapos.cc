#include "strategy/rapos.h"

#include "strategy/sampler.h"

namespace heddle {
namespace {

constexpr std::uint32_t kOperationsPerReset = 1000;

}  // namespace

void RaposPolicy::Begin(const Plan& plan) {
  rng_.Seed(RunSeed(plan));
  versions_.Begin(/*reads_commute=*/true);
  slots_.clear();
  slots_.reserve(64);
  may_pass_ = false;
  generation_ = 0;
  since_reset_ = 0;
}

void RaposPolicy::Know(std::size_t thread_count) {
  if (thread_count > slots_.size()) slots_.resize(thread_count);
}

std::size_t RaposPolicy::NthCandidate(const Decision& decision, std::size_t nth) {
  std::size_t index = 0;
  while (slots_[decision.options[index].thread].place != Place::kCandidate || nth-- > 0) ++index;
  return index;
}

RaposPolicy::Arranged RaposPolicy::Arrange(const Decision& decision) {
  Know(decision.view->pending.size());
  Arranged arranged;
  for (const Option& option : decision.options) {
    Slot& slot = slots_[option.thread];
    const std::uint64_t version = versions_.VersionFor(decision.view->pending[option.thread]);
    if (slot.version != version || slot.generation != generation_) {
      slot = {.place = Place::kNextBatch, .generation = generation_, .version = version};
    }
    arranged.candidates += slot.place == Place::kCandidate ? 1 : 0;
    arranged.next += slot.place == Place::kNextBatch ? 1 : 0;
  }
  return arranged;
}

std::size_t RaposPolicy::Choose(const Decision& decision) {
  if (decision.kind != DecisionKind::kThread) return rng_.Below(decision.options.size());
  Arranged arranged = Arrange(decision);
  while (true) {
    if (arranged.candidates > 0) {
      const std::size_t nth = rng_.Below(arranged.candidates);
      const std::size_t index = NthCandidate(decision, nth);
      const bool pass = may_pass_ && rng_.Below(2) == 0;
      if (!pass) return index;
      slots_[decision.options[index].thread].place = Place::kPassedOver;
      --arranged.candidates;
      continue;
    }
    may_pass_ = false;
    if (arranged.next == 0) return rng_.Below(decision.options.size());
    for (const Option& option : decision.options) {
      Slot& slot = slots_[option.thread];
      if (slot.place == Place::kNextBatch) slot.place = Place::kCandidate;
    }
    arranged = {.candidates = arranged.next};
  }
}

void RaposPolicy::Answered(const Decision& decision, std::size_t chosen) {
  versions_.Answered(decision, chosen);
}

void RaposPolicy::Observe(const Event& event, const RunView& view) {
  (void)view;
  versions_.Touch(event.object, event.kind);
  Know(event.thread + std::size_t{1});
  slots_[event.thread].place = Place::kNextBatch;
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
