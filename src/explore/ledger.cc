#include "explore/ledger.h"

#include <algorithm>
#include <utility>

#include "strategy/registry.h"

namespace heddle {
namespace {

std::vector<Failing>::iterator FindByFingerprint(std::vector<Failing>* all,
                                                 const std::string& fingerprint) {
  return std::find_if(all->begin(), all->end(), [&fingerprint](const Failing& failing) {
    return failing.first.fingerprint == fingerprint;
  });
}

bool HasClass(RunOutcome outcome) {
  return outcome != RunOutcome::kBlocked && outcome != RunOutcome::kOvertaken &&
         outcome != RunOutcome::kStepLimit && outcome != RunOutcome::kDiverged;
}

}  // namespace

void Ledger::MeasureNovelty(RunResult* result) {
  RunRecord& record = result->record;
  record.new_pairs = result->coverage ? coverage_.Merge(*result->coverage) : 0;
  record.new_class = HasClass(record.outcome) && classes_.Add(record.class_hash) ? 1 : 0;
}

void Ledger::Enter(const Plan& plan, RunResult result) {
  const RunRecord& record = result.record;
  const StrategyInfo* const drawn_by = FindStrategy(plan.policy);
  const bool is_sample = drawn_by != nullptr && drawn_by->samples;
  if (is_sample) {
    SampleLog::Sample sample{.sampler = drawn_by->name, .failed = result.failed.has_value()};
    sample.new_pairs = record.new_pairs;
    sample.new_class = record.new_class != 0;
    if (HasClass(record.outcome)) sample.class_hash = record.class_hash;
    samples_.Add(sample);
  }
  if (now_.runs + voided_ == 0) first_record_ = record;
  ++now_.runs;
  now_.events += record.events;
  switch (record.outcome) {
    case RunOutcome::kBlocked:
    case RunOutcome::kOvertaken:
      ++now_.blocked;
      break;
    case RunOutcome::kStepLimit:
      ++now_.step_limited;
      break;
    case RunOutcome::kDiverged:
      ++now_.diverged;
      break;
    case RunOutcome::kNone:
    case RunOutcome::kExited:
    case RunOutcome::kFailed:
      break;
  }
  for (const auto& sighted : result.sighted) CountSighting(*sighted, 1, is_sample ? 1 : 0);
  for (FailedRun& later : result.later) {
    const auto known = FindByFingerprint(&later_, later.fingerprint);
    if (known != later_.end()) {
      ++known->hits;
    } else {
      later_.push_back({.first = std::move(later)});
    }
  }
  if (!result.failed) return;
  const auto known = FindByFingerprint(&failures_, result.failed->fingerprint);
  if (known != failures_.end()) {
    ++known->hits;
    known->counted_hits += is_sample ? 1 : 0;
    // An adaptive search with several workers hears of them in any order.
    if (result.failed->plan.run < known->first.plan.run) known->first = std::move(*result.failed);
    return;
  }
  failures_.push_back(
      {.first = std::move(*result.failed), .counted_hits = is_sample ? std::uint64_t{1} : 0});
}

void Ledger::CountSighting(const FailedRun& sighted, std::uint64_t hits, std::uint64_t counted) {
  const auto known = FindByFingerprint(&sightings_, sighted.fingerprint);
  if (known == sightings_.end()) {
    sightings_.push_back({.first = sighted, .hits = hits, .counted_hits = counted});
    return;
  }
  known->hits += hits;
  known->counted_hits += counted;
}

void Ledger::EnterSighting(const FailedRun& sighted, std::uint64_t hits) {
  const StrategyInfo* const drawn_by = FindStrategy(sighted.plan.policy);
  CountSighting(sighted, hits, drawn_by != nullptr && drawn_by->samples ? hits : 0);
}

void Ledger::EnterMany(const Plan& plan, const SearchReport& report,
                       std::span<const std::uint64_t> classes) {
  if (now_.runs + voided_ == 0) first_record_.threads = report.most_threads;
  now_.runs += report.runs;
  now_.blocked += report.blocked;
  now_.events += report.events;
  const StrategyInfo* const drawn_by = FindStrategy(plan.policy);
  const bool are_samples = drawn_by != nullptr && drawn_by->samples;
  for (const std::uint64_t class_hash : classes) {
    const bool is_new = classes_.Add(class_hash);
    if (!are_samples) continue;
    SampleLog::Sample sample{.sampler = drawn_by->name, .failed = false};
    sample.class_hash = class_hash;
    sample.new_class = is_new;
    samples_.Add(sample);
  }
}

void Ledger::StartAnew(bool void_runs) {
  ++restarts_;
  classes_ = ClassCounter();
  samples_.Restart();
  coverage_ = PairCoverage();
  for (Failing& failing : failures_) failing.counted_hits = 0;
  for (Failing& failing : sightings_) failing.counted_hits = 0;
  if (!void_runs) return;
  voided_ += now_.runs;
  now_ = Counts();
}

}  // namespace heddle
