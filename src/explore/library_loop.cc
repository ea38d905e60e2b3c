#include "explore/library_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "explore/examiner.h"
#include "explore/left_behind.h"

namespace heddle {
namespace {

constexpr std::uint64_t kSliceNanoseconds = 50'000'000;
constexpr int kMostLosses = 3;  // of the worker, without a run in between

std::string LeakOf(const SearchReport& report, std::uint64_t runs) {
  if (report.leaks_state == kLeftLocked) {
    return "a mutex that one run locked was still locked in another";
  }
  if (report.leaks_state == kCloned) {
    return "it copies its process by clone, as death tests of style threadsafe do, which "
           "GoogleTest counts by process";
  }
  return fmt::format("after {} runs the same decisions gave other events", runs);
}

}  // namespace

LibraryLoop::LibraryLoop(const Invocation& invocation, const ExploreOptions& options,
                         std::string temporary)
    : invocation_(invocation),
      options_(options),
      temporary_(std::move(temporary)),
      namer_(ContextOf(invocation, options)) {
  const auto search = MakeSearch();
  ordered_ = search->Ordered();
  wants_coverage_ = search->WantsCoverage();
  wants_whole_ = search->WantsWholeRuns();
}

Status LibraryLoop::StartWorker(const std::atomic<bool>& interrupt) {
  WorkerOptions options = options_.worker;
  options.temporary = temporary_ + "/0000";
  auto worker = WorkerProcess::Start(invocation_, options, &interrupt);
  if (!worker) return worker.error();
  if ((*worker)->death()) {
    return Error{
        fmt::format("the copy of the test that makes the runs {}", Describe(*(*worker)->death()))};
  }
  worker_ = std::move(*worker);
  counted_.clear();
  sighted_.clear();
  const auto modules = worker_->modules();
  namer_.UseModules(modules);
  if (outcome_.modules.empty()) outcome_.modules.assign(modules.begin(), modules.end());
  outcome_.backend = worker_->backend();
  sites_ = points_->For(modules);
  return {};
}

std::unique_ptr<Search> LibraryLoop::MakeSearch() const {
  return options_.strategy.info->make_search(
      {.seed = options_.seed,
       .params = options_.strategy.params,
       .runs = options_.runs,
       .time_waits = options_.worker.timeouts == Timeouts::kIdle});
}

bool LibraryLoop::GoOnAfter(const std::string& state) {
  state_ = state;
  if (!state_.empty()) return true;
  if (ordered_) {
    const auto search = MakeSearch();
    search->Rewind(outcome_.ledger.runs());
    state_ = search->Save();
    return true;
  }
  lost_runs_ = true;
  outcome_.notes.insert(
      "The search lost its place when the process that made it was killed; it ended there.");
  return false;
}

bool LibraryLoop::LearnPoints(const Reply& reply) {
  const std::vector<Point> found = PointsOf(reply.new_sites, worker_->modules());
  PointSet next = *points_;
  if (found.empty() || !next.Add(found)) return false;
  points_ = std::make_shared<const PointSet>(std::move(next));
  sites_ = points_->For(worker_->modules());
  outcome_.ledger.StartAnew(!ordered_);
  if (ordered_) return true;
  ++number_;
  state_.clear();
  is_over_ = false;
  return true;
}

void LibraryLoop::NoteUncontrolled(const Reply& reply) {
  for (const UncontrolledRecord& record : reply.uncontrolled) {
    std::uint64_t& counted = counted_[{record.what, record.site}];
    if (record.count <= counted) continue;
    const std::string site = namer_.Location(record.site);
    Uncontrolled& entry = uncontrolled_[{record.what, site}];
    entry.what = record.what;
    entry.site = site;
    entry.effect = record.effect;
    entry.count += record.count - counted;
    counted = record.count;
  }
}

void LibraryLoop::NoteSightings(const SearchReply& reply, const Plan& plan) {
  AddSightings(reply.last, plan, points_, worker_->modules(), &sighted_);
  for (std::size_t i = 0; i < sighted_.size(); ++i) {
    const std::uint64_t hits = reply.report.sighting_hits[i];
    if (hits != 0) outcome_.ledger.EnterSighting(*sighted_[i], hits);
  }
}

// False: the search ends here.
bool LibraryLoop::Enter(SearchReply reply, const std::atomic<bool>& interrupt) {
  const SearchReport& report = reply.report;
  Plan plan;
  plan.seed = options_.seed;
  plan.policy = options_.strategy.info->name;
  outcome_.ledger.EnterMany(plan, report, reply.classes);
  is_over_ = report.is_over != 0;
  is_complete_ = report.is_complete != 0;
  if (report.is_skipped != 0) {
    outcome_.skipped = reply.skipped;
    return false;
  }
  if (report.leaks_state != 0) {
    outcome_.leaks_state = true;
    outcome_.leak = LeakOf(report, outcome_.ledger.runs());
    return false;
  }
  if (!reply.state.empty()) state_ = reply.state;
  NoteSightings(reply, plan);
  if (reply.last.records.empty() || report.sees_new != 0) {
    LearnPoints(reply.last);
    return !is_over_;
  }

  Reply sites;
  sites.new_sites = reply.last.new_sites;
  RunResult result = JudgeLast(std::move(reply.last), plan, points_, worker_->modules(),
                               {.exit_status = options_.expected_exit, .output = {}}, &namer_);
  const bool failed = result.failed.has_value();
  result.sighted = SightedBy(result.record, sighted_);
  outcome_.ledger.MeasureNovelty(&result);
  if (report.warming_up != 0 && options_.keep_going) {
    outcome_.fails_at_once = true;
    return false;
  }
  if (failed && report.warming_up == 0 && outcome_.ledger.failures().empty() &&
      FailsOnlyAfterEarlierRuns(*result.failed, invocation_, options_, temporary_, interrupt)) {
    outcome_.leaks_state = true;
    outcome_.leak = "it fails in any order of its threads, but not in the first run of a process";
    return false;
  }
  outcome_.ledger.Enter(plan, std::move(result));
  if (failed && !options_.keep_going) return false;
  // The search begins anew, whatever it had come to: a warm-up leaves no state at all.
  if (!ordered_ && LearnPoints(sites)) return true;
  const bool goes_on = GoOnAfter(reply.state);
  LearnPoints(sites);
  return goes_on;
}

SearchReply LibraryLoop::Ask(std::uint64_t most_runs, const std::atomic<bool>& interrupt) {
  SearchRequest request;
  request.number = number_;
  request.budget = options_.runs;
  request.most_runs = most_runs;
  request.nanoseconds = kSliceNanoseconds;
  HEDDLE_CHECK(options_.strategy_text.size() < sizeof request.strategy);
  std::memcpy(request.strategy, options_.strategy_text.data(), options_.strategy_text.size());
  Plan plan;
  plan.run = outcome_.ledger.runs() + 1;
  plan.seed = options_.seed;
  return worker_->Search({.plan = &plan,
                          .sites = sites_,
                          .run_on = wants_whole_,
                          .want_coverage = wants_coverage_,
                          .search = &request,
                          .search_state = state_,
                          .until = deadline_},
                         &interrupt);
}

// What the search in the worker counted, and what it has to say. A search that ended says so in the
// state it left; of one that was ended from here, the worker is asked once more.
void LibraryLoop::HearSearch(const std::atomic<bool>& interrupt) {
  if (worker_ != nullptr && !is_over_ && !interrupt) {
    SearchReply reply = Ask(0, interrupt);
    if (reply.last.kind == Reply::Kind::kDone) state_ = reply.state;
  }
  const std::unique_ptr<Search> search = MakeSearch();
  if (state_.empty() || !search->Load(state_)) return;
  outcome_.blocked_when_learnt = search->BlockedRuns();
  if (const std::string remark = search->Remark(); !remark.empty()) outcome_.remarks.insert(remark);
  for (std::string& remark : search->Remarks()) outcome_.remarks.insert(std::move(remark));
}

Result<bool> LibraryLoop::Advance(const std::atomic<bool>& interrupt) {
  if (worker_ == nullptr) {
    if (Status started = StartWorker(interrupt); !started) return started.error();
  }
  SearchReply reply = Ask(options_.runs - outcome_.ledger.runs(), interrupt);
  switch (reply.last.kind) {
    case Reply::Kind::kDone:
      break;
    case Reply::Kind::kStopped:
      worker_.reset();
      if (!interrupt) {
        outcome_.notes.insert(
            "The time was over while a run did not get on; it was cut off, and may be stuck.");
      }
      return false;
    case Reply::Kind::kDied:
    case Reply::Kind::kDamaged:
      outcome_.notes.insert(fmt::format("A worker was lost and replaced: {}.", reply.last.text));
      worker_.reset();
      if (++losses_ >= kMostLosses) return Error{reply.last.text};
      return GoOnAfter("");
  }
  losses_ = 0;
  NoteUncontrolled(reply.last);
  outcome_.outcomes = worker_->Outcomes();
  return Enter(std::move(reply), interrupt);
}

Result<SearchOutcome> LibraryLoop::Run(const std::atomic<bool>& interrupt,
                                       const ProgressFunction& progress) {
  const double started = MonotonicSeconds();
  const Ledger& ledger = outcome_.ledger;
  deadline_ = started + options_.seconds;
  bool out_of_time = false;
  while (ledger.runs() < options_.runs && !interrupt && !out_of_time) {
    const Result<bool> goes_on = Advance(interrupt);
    if (!goes_on) return goes_on.error();
    const double seconds = MonotonicSeconds() - started;
    out_of_time = seconds > options_.seconds;
    if (!*goes_on) break;
    if (progress) {
      progress({.runs = ledger.runs(),
                .events = ledger.events(),
                .classes = ledger.classes().Count(),
                .findings = ledger.failures().size() + ledger.sightings().size(),
                .seconds = seconds,
                .runs_per_second = static_cast<double>(ledger.runs()) / seconds,
                .seconds_left = options_.seconds - seconds,
                .phase = "searching"});
    }
  }
  HearSearch(interrupt);
  worker_.reset();
  outcome_.complete = is_over_ && is_complete_ && !lost_runs_ && !points_->HasUnseenLoops();
  outcome_.stopped_by = !ledger.failures().empty() && !options_.keep_going ? StoppedBy::kFinding
                        : outcome_.complete                                ? StoppedBy::kComplete
                        : interrupt                                        ? StoppedBy::kInterrupted
                        : out_of_time                                      ? StoppedBy::kTime
                                                                           : StoppedBy::kRuns;
  outcome_.seconds = MonotonicSeconds() - started;
  for (auto& [key, entry] : uncontrolled_) outcome_.uncontrolled.push_back(std::move(entry));
  return std::move(outcome_);
}

}  // namespace heddle
