#include "runtime/library/search.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/check.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/memory/heap.h"
#include "runtime/real_time.h"
#include "runtime/scheduler/scheduler.h"
#include "strategy/registry.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostRunsPerLook = 32;   // at the clock
constexpr std::uint64_t kLookApart = 1'000'000;  // nanoseconds, or every run
constexpr std::uint64_t kFirstCheck = 1;         // runs before the first look for leaked state
constexpr std::uint64_t kChecksApart = 1;  // each check comes so many times later than the last …
constexpr std::uint64_t kLongestApart = 1 << 17;  // … but never later than so many runs
constexpr std::size_t kMostAnswers = 1 << 16;
constexpr std::size_t kMostClasses = 1 << 20;
constexpr std::uint64_t kMostLeakyRuns = 256;
constexpr std::uint64_t kMostLeakedBytes = std::uint64_t{64} << 20;

InProcessSearch* serving = nullptr;

// Says when it is late. A look is a system call, too much for every short run; of long ones, a few
// without a look use up more time than there is.
class Clock {
 public:
  explicit Clock(std::uint64_t nanoseconds)
      : looked_(RealNanoseconds()), deadline_(looked_ + nanoseconds) {}

  // After every run.
  bool IsLate() {
    if (++runs_ < runs_per_look_) return false;
    runs_ = 0;
    const std::uint64_t now = RealNanoseconds();
    runs_per_look_ =
        now - looked_ > kLookApart ? 1 : std::min(2 * runs_per_look_, kMostRunsPerLook);
    looked_ = now;
    return now > deadline_;
  }

 private:
  std::uint64_t looked_;
  const std::uint64_t deadline_;
  std::uint64_t runs_ = 0;
  std::uint64_t runs_per_look_ = 1;
};

bool HasOneSchedule(const RunRecord& record) {
  return record.threads <= 1 && record.decisions == 0;
}

}  // namespace

void InProcessSearch::Begin() {
  const SearchRequest& request = channel_->search;
  if (search_ != nullptr && number_ == request.number) return;
  Result<StrategySpec> strategy = ParseStrategy(request.strategy);
  HEDDLE_CHECK(strategy.ok());
  search_ =
      strategy->info->make_search({.seed = channel_->request.seed,
                                   .params = strategy->params,
                                   .runs = request.budget,
                                   .time_waits = channel_->config.timeouts == Timeouts::kIdle});
  ordered_ = search_->Ordered();
  wants_coverage_ = search_->WantsCoverage();
  coverage_ = PairCoverage();
  classes_.clear();
  number_ = request.number;
  reference_ = Reference();
  next_check_ = made_ + kFirstCheck;
  if (request.state_size == 0) return;
  const Layout layout = LayoutFor(channel_->config.max_events);
  const char* const state = AreaOf<char>(channel_, layout.state);
  const Status loaded = search_->Load({state, std::min(request.state_size, kMaxSearchState)});
  HEDDLE_CHECK(loaded.ok());
}

const RunTrace& InProcessSearch::TraceOf(const RunRecord& record) {
  RunTrace& trace = trace_;
  trace.record = record;
  trace.decisions = {};
  trace.events = {};
  trace.objects = {};
  trace.threads = {};
  if (independent_) return trace;
  const Layout layout = LayoutFor(channel_->config.max_events);
  if (channel_->failure.kind != FailureKind::kNone) {
    trace.failure = channel_->failure;  // the last run of this process
  }
  trace.decisions = {AreaOf<DecisionRecord>(channel_, layout.decisions), channel_->decision_count};
  trace.events = {AreaOf<Event>(channel_, layout.events), channel_->event_count};
  trace.objects = {AreaOf<ObjectRecord>(channel_, layout.objects), channel_->object_count};
  trace.threads = {AreaOf<ThreadRecord>(channel_, layout.threads), channel_->thread_count};
  return trace;
}

void InProcessSearch::MakeRun(const Plan& plan) {
  ResetForRun();
  StartRun(channel_, plan.run);
  engine.scheduler->BeginRun(plan);
  RunBody(body_);
  ++made_;
  leaky_runs_ += LastRunLeftBlocks() ? 1 : 0;
}

void InProcessSearch::Account(const RunRecord& record, bool is_redundant) {
  SearchReport& report = channel_->search_report;
  const Layout layout = LayoutFor(channel_->config.max_events);
  if (is_redundant) {
    ++report.blocked;
  } else {
    AreaOf<std::uint64_t>(channel_, layout.classes)[report.runs - report.blocked] =
        record.class_hash;
  }
  report.events += record.events;
  report.most_threads = std::max(report.most_threads, record.threads);
  ++report.runs;
  for (std::uint64_t seen = record.sightings; seen != 0; seen &= seen - 1) {
    ++report.sighting_hits[std::countr_zero(seen)];
  }
}

void InProcessSearch::CompareWithAll(RunRecord* record) {
  if (!wants_coverage_) return;
  const Layout layout = LayoutFor(channel_->config.max_events);
  record->new_pairs = coverage_.Merge(*AreaOf<PairCoverage>(channel_, layout.coverage));
  if (classes_.size() < kMostClasses)
    record->new_class = classes_.insert(record->class_hash).second;
}

void InProcessSearch::KeepReference(const RunRecord& record) {
  if (channel_->decision_count != record.decisions || record.decisions > kMostAnswers) return;
  const Layout layout = LayoutFor(channel_->config.max_events);
  const auto* const decisions = AreaOf<DecisionRecord>(channel_, layout.decisions);
  reference_.answers.clear();
  for (std::uint64_t i = 0; i < record.decisions; ++i) {
    reference_.answers.push_back({decisions[i].chosen, decisions[i].options});
  }
  reference_.event_hash = engine.scheduler->recorder().EventHash();
}

void InProcessSearch::CheckForLeaks() {
  if (reference_.answers.empty()) return;
  next_check_ = made_ + std::min(made_ * kChecksApart, kLongestApart);
  Plan plan;
  plan.run = 1;
  plan.seed = channel_->request.seed;
  plan.policy = "nonpreemptive";
  plan.prefix = reference_.answers;
  SearchReport& report = channel_->search_report;
  // Set first: a run that can't follow its answers any more ends the process.
  report.leaks_state = 1;
  report.leaked_after = made_;
  MakeRun(plan);
  const std::uint64_t hash = engine.scheduler->recorder().EventHash();
  report.leaks_state = hash == reference_.event_hash ? 0 : 1;
}

void InProcessSearch::Save() {
  const std::string state = search_->Save();
  if (state.size() > kMaxSearchState) return;
  const Layout layout = LayoutFor(channel_->config.max_events);
  std::memcpy(AreaOf<char>(channel_, layout.state), state.data(), state.size());
  channel_->search_report.state_size = static_cast<std::uint32_t>(state.size());
}

void InProcessSearch::BeforeLeaving() {
  if (serving->plan_ != nullptr) {
    serving->search_->Learn(*serving->plan_, serving->TraceOf(serving->channel_->records[0]));
  }
  serving->Save();
}

bool InProcessSearch::Serve() {
  Begin();
  const SearchRequest& request = channel_->search;
  SearchReport& report = channel_->search_report;
  report = SearchReport();
  if (channel_->new_site_count > 0) return false;  // the warm-up saw them
  serving = this;
  engine.before_leaving = BeforeLeaving;
  engine.makes_more_runs = true;
  Clock clock(request.nanoseconds);
  const std::uint64_t most = std::min<std::uint64_t>(request.most_runs, kMaxSliceRuns);
  while (report.runs < most) {
    const std::optional<Plan> plan = search_->Next();
    if (!plan) {
      report.is_over = 1;
      report.is_complete = search_->Complete() ? 1 : 0;
      break;
    }
    independent_ = search_->Independent();
    plan_ = &*plan;
    MakeRun(*plan);
    const bool is_sighting = channel_->records[0].new_sightings > 0;
    const bool is_redundant = engine.scheduler->running_out().is_on();
    if ((!independent_ || is_sighting) && !is_redundant) engine.scheduler->StoreThreads();
    RunRecord& record = channel_->records[0];  // as it is: a copy would wait for its last parts
    if (!is_redundant) CompareWithAll(&record);
    search_->Learn(*plan, TraceOf(record));
    plan_ = nullptr;
    Account(record, is_redundant);
    if (is_sighting) {
      // The controller looks at the run before another one is made.
      report.sees_new = 1;
      channel_->record_count = 1;
    }
    if (record.new_sites > 0) {
      if (ordered_) search_->Rewind(plan->run);
      // As long as the reference's answers mean what they meant.
      if (!is_sighting) CheckForLeaks();
      reference_ = Reference();
      break;
    }
    if (reference_.answers.empty() && !is_redundant) KeepReference(record);
    if (plan->run == 1 && HasOneSchedule(record)) {
      report.is_over = report.is_complete = 1;
      break;
    }
    if (is_sighting) break;
    if (report.leaks_state == 0 && made_ >= next_check_) CheckForLeaks();
    if (report.leaks_state != 0) break;
    if (clock.IsLate()) break;
  }
  engine.before_leaving = nullptr;
  engine.makes_more_runs = false;
  const bool is_full = leaky_runs_ > kMostLeakyRuns || Heap::BytesInUse() > kMostLeakedBytes;
  // What the search has to say at its end, the controller reads from its state.
  if (is_full || report.is_over != 0 || most == 0) Save();
  return is_full;
}

}  // namespace heddle
