#include "strategy/auto.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "stats/coverage.h"
#include "strategy/pct.h"
#include "strategy/pos.h"
#include "strategy/registry.h"
#include "strategy/surw.h"
#include "strategy/urw.h"

namespace heddle {
namespace {

constexpr std::uint64_t kFewestSamples = 50;   // to estimate the classes from
constexpr std::uint64_t kMostSamples = 5'000;  // to remember the classes of
// An estimate is rather too low. So an exhaustive search may make so many runs per class of it, but
// only a quarter more need fit into the budget: where most samples are of known classes (nothing is
// estimated otherwise), a run that is sure to be new is worth more than another sample.
constexpr std::uint64_t kSafety = 4;

double WithMargin(double runs) { return runs * 1.25 + kFewestSamples; }

// Blocks grow with the search: a sampler that is good waits for its turn a fixed part of the runs
// so far, and the explorer gets many runs per hand-over.
constexpr std::uint64_t kRoundsPerTotal = 8;
constexpr std::uint64_t kLongestRound = 1'000;

constexpr std::array<std::string_view, AutoSearch::kArms> kArmPolicies = {"surw", "pos", "pct",
                                                                          "urw", "random"};

std::size_t ArmOf(std::string_view policy) {
  return static_cast<std::size_t>(std::find(kArmPolicies.begin(), kArmPolicies.end(), policy) -
                                  kArmPolicies.begin());
}

}  // namespace

void AutoSearch::PrepareArms() {
  for (std::size_t i = 0; i < kArms; ++i) {
    arms_[i] = Plan();
    arms_[i].policy = kArmPolicies[i];
    arms_[i].seed = options_.seed;
  }
  PrepareSurw(state_.profile, arms_[ArmOf("surw")]);
  arms_[ArmOf("pos")].params[PosPolicy::kReadRelaxedParam] = 1;
  arms_[ArmOf("pct")].params[PctPolicy::kDepthParam] = 3;
  PreparePct(state_.profile, arms_[ArmOf("pct")]);
  PrepareUrw(state_.profile, arms_[ArmOf("urw")]);
}

bool AutoSearch::BeginRound() {
  // The first two rounds know nothing.
  Advice advice;
  advice.shares.fill(1.0 / kArms);
  if (state_.rounds >= 2) {
    if (state_.advice.empty()) return false;
    advice = state_.advice.front();
    if (advice.classes != 0 && BeginExhausting(advice.classes)) return true;
    state_.advice.pop_front();
  }
  const std::uint64_t total = state_.given + 1 - state_.first;
  const std::uint64_t length =
      std::clamp<std::uint64_t>(total / kRoundsPerTotal, kArms, kLongestRound);
  state_.round.last = state_.given;
  for (std::size_t i = 0; i < kArms; ++i) {
    const double share = advice.shares[i] * static_cast<double>(length);
    state_.round.runs[i] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share + 0.5));
    state_.round.last += state_.round.runs[i];
  }
  state_.ends.push_back(state_.round.last);
  ++state_.rounds;
  state_.block = 0;
  state_.left = state_.round.runs[ArmOfBlock()];
  return true;
}

std::optional<Plan> AutoSearch::Next() {
  const std::uint64_t nth = state_.given + 1 - state_.first;
  if (nth < kProfileRuns) {
    // As for pct, whose profile needs the second kind; to the others any run is as good.
    Plan plan;
    plan.policy = nth % 2 == 0 ? "random" : "pct";
    if (nth % 2 != 0) plan.params[PctPolicy::kDepthParam] = 1;
    plan.seed = options_.seed;
    plan.run = ++state_.given;
    return plan;
  }
  if (!IsProfiled()) return std::nullopt;
  if (exhausting_ == nullptr && state_.left == 0) {
    if (++state_.block < kArms) {
      state_.left = state_.round.runs[ArmOfBlock()];
    } else if (!BeginRound()) {
      state_.block = kArms;
      return std::nullopt;
    }
  }
  if (exhausting_ != nullptr) {
    if (std::optional<Plan> plan = NextOfExhaustive()) return plan;
    if (exhausting_ != nullptr) return std::nullopt;
    return Next();
  }
  --state_.left;
  Plan plan = arms_[ArmOfBlock()];
  plan.run = ++state_.given;
  return plan;
}

std::uint64_t AutoSearch::Extend(std::uint64_t most) {
  if (exhausting_ != nullptr) return 0;
  const std::uint64_t more = std::min(most, state_.left);
  state_.left -= more;
  state_.given += more;
  return more;
}

bool AutoSearch::Independent() const {
  if (state_.given + 1 < state_.first + kProfileRuns + 1) return false;
  return exhausting_ == nullptr || exhausting_->Independent();
}

std::uint64_t AutoSearch::EstimatedClasses() const {
  if (state_.samples < kFewestSamples) return 0;
  FrequencyCounts counts;
  counts.runs = state_.samples;
  counts.classes = static_cast<double>(state_.classes.size());
  for (const auto& [hash, times] : state_.classes) {
    counts.once += times == 1 ? 1 : 0;
    counts.twice += times == 2 ? 1 : 0;
  }
  // Where most runs are of a new class, the estimate is no more than a lower bound.
  if (counts.once * 2 > static_cast<double>(counts.runs)) return 0;
  return static_cast<std::uint64_t>(std::ceil(EstimateClasses(counts)));
}

void AutoSearch::EndRound() {
  state_.ends.pop_front();
  state_.advice.push_back({.shares = state_.bandit.SharesNow(), .classes = EstimatedClasses()});
  state_.bandit.EndRound();
}

void AutoSearch::Learn(const Plan& plan, const RunTrace& trace) {
  state_.learnt = std::max(state_.learnt, plan.run);
  if (plan.run < state_.first + kProfileRuns) {
    state_.profile.Add(trace);
    if (IsProfiled()) PrepareArms();
    return;
  }
  if (exhausting_ != nullptr && plan.run > state_.exhaust_after) {
    Plan inner = plan;
    inner.run -= state_.exhaust_after;
    exhausting_->Learn(inner, trace);
    return;
  }
  const std::size_t arm = ArmOf(plan.policy);
  if (arm == kArms) return;  // of an exhaustive search that was given up
  state_.bandit.Reward(arm, trace.record.new_pairs + trace.record.new_class);
  if (state_.samples < kMostSamples) {
    ++state_.samples;
    ++state_.classes[trace.record.class_hash];
  }
  while (!state_.ends.empty() && state_.ends.front() <= plan.run) EndRound();
}

bool AutoSearch::BeginExhausting(std::uint64_t classes) {
  if (exhaustive_ == nullptr || state_.exhaust_tried) return false;
  if (options_.runs < state_.given) return false;
  const std::uint64_t left = options_.runs - state_.given;
  if (WithMargin(static_cast<double>(classes)) > static_cast<double>(left)) return false;
  state_.exhaust_tried = true;
  state_.exhaust_after = state_.given;
  state_.exhaust_most = std::min(classes * kSafety + kFewestSamples, left);
  exhausting_ = MakeExhaustive(state_.exhaust_most);
  return true;
}

std::unique_ptr<Search> AutoSearch::MakeExhaustive(std::uint64_t most) const {
  return exhaustive_->make_search(
      {.seed = options_.seed, .params = {}, .runs = most, .estimates = true});
}

// Its share is used up; by now it can tell better than the samples how many runs it needs, if still
// rather too few: so they must fit twice, and it is asked again when it has made them.
bool AutoSearch::ExtendExhaustive() {
  const double explored = exhausting_->Explored();
  if (options_.runs <= state_.given || explored == 0) return false;
  const std::uint64_t most = options_.runs - state_.exhaust_after;
  double needed = exhausting_->EstimatedRuns().runs;
  if (needed == 0) needed = static_cast<double>(state_.given - state_.exhaust_after) / explored;
  if (2 * needed > static_cast<double>(most)) return false;
  state_.exhaust_most = std::min(static_cast<std::uint64_t>(WithMargin(needed)), most);
  return true;
}

std::optional<Plan> AutoSearch::NextOfExhaustive() {
  std::optional<Plan> plan;
  if (state_.given - state_.exhaust_after < state_.exhaust_most) plan = exhausting_->Next();
  if (!plan) {
    // Its last runs may still show that nothing is left. Where it has seen too little to say so (a
    // signal between threads), or has had its share, sampling goes on.
    if (state_.learnt < state_.given || exhausting_->Complete()) return std::nullopt;
    const bool had_its_share = state_.given - state_.exhaust_after >= state_.exhaust_most;
    if (had_its_share && ExtendExhaustive()) return NextOfExhaustive();
    exhausting_.reset();
    state_.block = kArms;
    return std::nullopt;
  }
  plan->run += state_.exhaust_after;
  HEDDLE_CHECK(plan->run == state_.given + 1);
  ++state_.given;
  return plan;
}

RunEstimate AutoSearch::EstimatedRuns() const {
  if (exhausting_ == nullptr) return {};
  RunEstimate estimate = exhausting_->EstimatedRuns();
  if (estimate.runs == 0) return {};
  const auto before = static_cast<double>(state_.exhaust_after);
  for (double* const runs : {&estimate.runs, &estimate.low, &estimate.high}) *runs += before;
  return estimate;
}

bool AutoSearch::Complete() const { return exhausting_ != nullptr && exhausting_->Complete(); }

void AutoSearch::Rewind(std::uint64_t last) {
  state_ = State();
  state_.first = last + 1;
  state_.given = last;
  state_.learnt = last;
  exhausting_.reset();
}

// Runs that are out are lost with their process: what they would have told is left out. A profile
// without them starts afresh.
std::string AutoSearch::Save() const {
  StateWriter writer;
  const State& s = state_;
  writer.Word("auto").Number(options_.seed).Number(s.first);
  const bool has_lost_some = !IsProfiled() && s.learnt != s.given;
  if (s.given < s.first || has_lost_some) return writer.Number(s.first - 1).Take();
  writer.Number(s.given).Number(s.learnt);
  s.profile.Write(writer);
  writer.Number(s.rounds).Number(s.block).Number(s.left).Number(s.round.last);
  for (const std::uint64_t runs : s.round.runs) writer.Number(runs);
  writer.Number(s.ends.size());
  for (const std::uint64_t end : s.ends) writer.Number(end);
  s.bandit.Write(writer);
  writer.Number(s.advice.size());
  for (const Advice& advice : s.advice) {
    for (const double share : advice.shares) writer.Real(share);
    writer.Number(advice.classes);
  }
  writer.Number(s.samples).Number(s.classes.size());
  for (const auto& [hash, times] : s.classes) writer.Number(hash).Number(times);
  writer.Number(s.exhaust_tried ? 1 : 0).Number(s.exhaust_after).Number(s.exhaust_most);
  if (exhausting_ != nullptr) writer.Word(exhausting_->Save());
  return writer.Take();
}

Status AutoSearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect("auto");
  const std::uint64_t seed = reader.Number();
  State s;
  s.first = reader.Number();
  s.given = reader.Number();
  if (!reader.ok() || seed != options_.seed || s.first == 0 || s.given + 1 < s.first) {
    return BadState("auto");
  }
  std::unique_ptr<Search> exhausting;
  if (s.given >= s.first) {
    s.learnt = reader.Number(s.given);
    s.profile = Profile::Read(reader);
    s.rounds = reader.Number();
    s.block = reader.Number(kArms);
    s.left = reader.Number();
    s.round.last = reader.Number();
    for (std::uint64_t& runs : s.round.runs) runs = reader.Number();
    for (std::uint64_t left = reader.Number(); left > 0 && reader.ok(); --left) {
      s.ends.push_back(reader.Number());
    }
    s.bandit.Read(reader);
    for (std::uint64_t left = reader.Number(); left > 0 && reader.ok(); --left) {
      Advice& advice = s.advice.emplace_back();
      for (double& share : advice.shares) share = reader.Real();
      advice.classes = reader.Number();
    }
    s.samples = reader.Number();
    for (std::uint64_t left = reader.Number(); left > 0 && reader.ok(); --left) {
      const std::uint64_t hash = reader.Number();
      s.classes[hash] = reader.Number();
    }
    s.exhaust_tried = reader.Number(1) != 0;
    s.exhaust_after = reader.Number();
    s.exhaust_most = reader.Number();
    if (reader.ok() && !reader.AtEnd()) {
      if (exhaustive_ == nullptr) return BadState("auto");
      exhausting = MakeExhaustive(s.exhaust_most);
      if (Status loaded = exhausting->Load(reader.Rest()); !loaded) return loaded;
    }
  } else {
    s.learnt = s.given;
  }
  if (!reader.ok() || !reader.AtEnd()) return BadState("auto");
  state_ = std::move(s);
  exhausting_ = std::move(exhausting);
  if (!IsProfiled()) return Status();
  PrepareArms();
  state_.learnt = state_.given;
  while (!state_.ends.empty() && state_.ends.front() <= state_.given) EndRound();
  return Status();
}

std::unique_ptr<Search> MakeAutoSearch(const SearchOptions& options) {
  return std::make_unique<AutoSearch>(options, FindStrategy("optimal-dpor"));
}

}  // namespace heddle
