#include "explore/run_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/clock.h"
#include "explore/children.h"
#include "explore/examiner.h"
#include "explore/search_state.h"
#include "strategy/later_failure.h"

namespace heddle {
namespace {

constexpr double kBatchSeconds = 0.05;  // of work per hand-over
constexpr double kGraceSeconds = 0.3;   // for runs under way when the search is cut off
constexpr double kOrphanSeconds = 1;    // between looks at what runs left behind
constexpr double kSaveSeconds = 2;      // between savings of the search
constexpr int kLosses = 2;              // of the worker, by one and the same run

}  // namespace

// The same failure behind another one: it is known well enough not to be looked for twice.
static std::string LaterKey(const LaterFailure& later, const OwnedTrace& trace) {
  const Failure& failure = later.failure;
  std::uint64_t site = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(later.events, trace.events.size()); ++i) {
    if (trace.events[i].thread == failure.thread) site = trace.events[i].site;
  }
  return fmt::format("{} {} {} {} {} {:x}", static_cast<int>(failure.kind), failure.signal,
                     failure.file, failure.line, failure.message, site);
}

static std::vector<FailedRun> LaterOf(const OwnedTrace& trace, const Plan& plan,
                                      const std::shared_ptr<const PointSet>& points,
                                      std::span<const ModuleRecord> modules) {
  std::vector<FailedRun> all;
  for (const LaterFailure& later : trace.later) {
    FailedRun run;
    run.parked = static_cast<std::uint32_t>(all.size() + 1);
    for (const DecisionRecord& decision : trace.decisions) {
      if (decision.event <= later.events) run.trace.decisions.push_back(decision);
    }
    run.plan = plan;
    run.plan.run = trace.record.run;
    run.plan = PlanToFailure(trace.View(), later, run.plan);
    run.trace.failure = later.failure;
    run.trace.input = trace.input;
    run.modules.assign(modules.begin(), modules.end());
    run.points = points;
    run.fingerprint = LaterKey(later, trace);
    run.is_later = true;
    all.push_back(std::move(run));
  }
  return all;
}

RunResult JudgeLast(Reply reply, const Plan& plan, std::shared_ptr<const PointSet> points,
                    std::span<const ModuleRecord> modules, const Expectations& expected,
                    FailureNamer* namer) {
  RunResult last;
  last.record = reply.records.back();
  namer->UseModules(modules);
  last.new_points = PointsOf(reply.new_sites, modules);
  const Verdict verdict = JudgeRun(last.record, reply.output, expected);
  if (verdict != Verdict::kPassed && reply.trace) {
    FailedRun failed;
    failed.plan = plan;
    failed.plan.run = last.record.run;
    failed.fingerprint = namer->Fingerprint(*reply.trace, verdict);
    if (last.record.ran_on != 0) {
      // The search learns from all of it; what failed ends at the failure.
      last.later = LaterOf(*reply.trace, plan, points, modules);
      last.trace = *reply.trace;
      reply.trace->CutAt(last.record);
    }
    failed.trace = std::move(*reply.trace);
    failed.modules.assign(modules.begin(), modules.end());
    failed.points = std::move(points);
    failed.output = std::move(reply.output);
    failed.wrong_output = verdict == Verdict::kWrongOutput;
    last.failed = std::move(failed);
  } else {
    last.trace = std::move(reply.trace);
  }
  return last;
}

void AddSightings(const Reply& reply, const Plan& plan,
                  const std::shared_ptr<const PointSet>& points,
                  std::span<const ModuleRecord> modules, Sighted* seen) {
  for (std::size_t i = seen->size(); i < reply.sightings.size() && reply.trace; ++i) {
    FailedRun run;
    run.plan = plan;
    run.plan.run = reply.records.back().run;
    run.fingerprint = SightingKey(reply.sightings[i], modules);
    // Enough to repeat it; what happened is looked at then.
    run.trace.record = reply.trace->record;
    run.trace.failure = reply.trace->failure;
    run.trace.decisions = reply.trace->decisions;
    run.trace.threads = reply.trace->threads;
    run.trace.sightings = {reply.sightings[i]};
    run.trace.input = reply.trace->input;
    run.trace.input_missing = reply.trace->input_missing;
    run.modules.assign(modules.begin(), modules.end());
    run.points = points;
    run.output = reply.output;
    run.is_sighting = true;
    seen->push_back(std::make_shared<const FailedRun>(std::move(run)));
  }
}

Sighted SightedBy(const RunRecord& record, const Sighted& seen) {
  Sighted result;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if ((record.sightings >> i & 1) != 0) result.push_back(seen[i]);
  }
  return result;
}

struct RunLoop::Crew {
  Crew(int number_in, FindingContext context, CheckpointMode mode)
      : number(number_in), namer(std::move(context)), checkpoints(mode) {}

  const int number;
  FailureNamer namer;
  std::unique_ptr<WorkerProcess> worker;
  double seconds_per_run = 0;  // of the last job
  bool is_alone = false;       // with the present one
  const PointSet* sites_of = nullptr;
  std::vector<SiteRef> sites;
  std::vector<OutcomeRecord> outcomes;
  Sighted sighted;
  Checkpoints checkpoints;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> uncontrolled;  // counts so far

  std::uint32_t BatchSize() const {
    if (worker == nullptr || seconds_per_run <= 0) return 1;
    const double runs = kBatchSeconds / seconds_per_run;
    return static_cast<std::uint32_t>(std::clamp(runs, 1.0, static_cast<double>(kMaxBatch)));
  }
};

RunLoop::RunLoop(const Invocation& invocation, const ExploreOptions& options, std::string temporary)
    : invocation_(invocation),
      options_(options),
      expected_{.exit_status = options.expected_exit,
                .output = HashOfOutput(options.expected_output)},
      temporary_(std::move(temporary)),
      search_(options.strategy.info->make_search(
          {.seed = options.seed,
           .params = options.strategy.params,
           .runs = options.runs,
           .estimates = true,
           .time_waits = options.worker.timeouts == Timeouts::kIdle})),
      turns_(options.workers) {
  dispenser_ = MakeDispenser(search_.get(), &outcome_.ledger,
                             {.runs = options.runs,
                              .keep_going = options.keep_going,
                              .points = FirstPoints(options.expected_output.has_value())});
}

Status RunLoop::Resume() {
  Result<std::optional<SearchState>> read = ReadSearchState(options_.state_file);
  if (!read) return read.error();
  if (!*read) {
    outcome_.notes.insert("There was no unfinished search to resume: this one started afresh.");
    return {};
  }
  const SearchState& state = **read;
  if (state.identity != options_.state_identity) {
    return Error{fmt::format(
        "the unfinished search was of other options ({}); give the same ones, or run without "
        "--resume to start afresh",
        state.identity)};
  }
  if (const Status loaded = search_->Load(state.search); !loaded) return loaded.error();
  dispenser_ = MakeDispenser(
      search_.get(), &outcome_.ledger,
      {.runs = options_.runs, .keep_going = options_.keep_going, .points = state.points});
  runs_before_ = state.runs;
  build_id_before_ = state.build_id;
  outcome_.notes.insert(fmt::format(
      "The search was resumed behind {} runs; counts are of the runs since then.", state.runs));
  return {};
}

void RunLoop::SaveState() {
  if (options_.state_file.empty() || search_->Ordered() || outcome_.modules.empty()) return;
  SearchState state;
  state.identity = options_.state_identity;
  state.build_id = BuildIdText(outcome_.modules[0]);
  state.runs = runs_before_ + outcome_.ledger.runs();
  const std::shared_ptr<const PointSet> points = dispenser_->points();
  state.points.assign(points->points().begin(), points->points().end());
  state.search = search_->Save();
  if (const Status saved = WriteSearchState(options_.state_file, state); !saved) {
    outcome_.notes.insert("The search can't be resumed: " + saved.error().text + ".");
  }
}

Status RunLoop::ReadHapSets() {
  if (options_.hapset_file.empty()) return {};
  hapsets_.emplace(options_.hapset_file);
  const HapSets* const learnt = search_->LearntHapSets();
  if (learnt == nullptr) return {};
  const Result<HapSets> sets = hapsets_->Read(outcome_.modules, learnt->call_sites);
  if (!sets) return sets.error();
  search_->KnowHapSets(*sets);
  return {};
}

std::optional<Job> RunLoop::Take(Crew* crew, std::uint32_t most) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (closed_ || dispenser_->IsOver()) return std::nullopt;
    if (turns_.MayBegin()) {
      if (std::optional<Job> job = dispenser_->Take(most)) {
        crew->is_alone = turns_.Begin();
        return job;
      }
      if (dispenser_->IsOver()) return std::nullopt;
    }
    changed_.wait(lock);
  }
}

void RunLoop::EndTurn() {
  const std::lock_guard lock(mutex_);
  turns_.End();
  changed_.notify_all();
}

bool RunLoop::WasInCompany(const Job& job, const Reply& reply, const Crew& crew) {
  const std::lock_guard lock(mutex_);
  if (reply.shared_places != 0 && !turns_.one_at_a_time()) {
    turns_.OneAtATime();
    const std::string why =
        (reply.shared_places & Channel::kSharedFile) != 0
            ? fmt::format("writes files that all its runs share (as {})", reply.shared_file)
            : "binds a socket to an address that it chose itself";
    if (options_.workers > 1) {
      outcome_.notes.insert(
          fmt::format("The program {}, so its runs were made one at a time.", why));
    }
  }
  turns_.Seen();
  if (crew.is_alone || !turns_.one_at_a_time()) return false;
  dispenser_->Lose(job);
  return true;
}

void RunLoop::Fail(Error error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  closed_ = true;
  changed_.notify_all();
}

void RunLoop::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void RunLoop::TellFailures(const FailureFunction& on_failure) {
  const std::vector<Failing>& failures = outcome_.ledger.failures();
  std::unique_lock lock(mutex_);
  for (std::size_t told = 0;; ++told) {
    changed_.wait(lock, [&] { return working_ == 0 || failures.size() > told; });
    if (working_ == 0) return;
    const Failing failing = failures[told];  // a copy: the search goes on
    const bool takes_turns = turns_.one_at_a_time();
    if (takes_turns) {
      changed_.wait(lock, [&] { return turns_.nobody(); });
      turns_.Begin();
    }
    lock.unlock();
    on_failure(failing);
    if (takes_turns) EndTurn();
    lock.lock();
  }
}

bool RunLoop::StartWorker(Crew* crew) {
  WorkerOptions options = options_.worker;
  options.temporary = fmt::format("{}/{:04}", temporary_, crew->number);
  auto worker = WorkerProcess::Start(invocation_, options, &hard_stop_);
  if (!worker) {
    if (!hard_stop_) Fail(worker.error());
    return false;
  }
  if ((*worker)->death()) {
    const std::lock_guard lock(mutex_);
    outcome_.before_main = *(*worker)->death();
    closed_ = true;
    changed_.notify_all();
    return false;
  }
  crew->worker = std::move(*worker);
  crew->sites_of = nullptr;
  crew->checkpoints.Forget();
  crew->uncontrolled.clear();
  crew->sighted.clear();
  crew->namer.UseModules(crew->worker->modules());
  const std::lock_guard lock(mutex_);
  const auto modules = crew->worker->modules();
  const bool is_first = outcome_.modules.empty();
  if (is_first) outcome_.modules.assign(modules.begin(), modules.end());
  if (const Status read = is_first ? ReadHapSets() : Status(); !read) {
    error_ = read.error();
    closed_ = true;
    changed_.notify_all();
    return false;
  }
  outcome_.aslr_is_on |= crew->worker->aslr_is_on();
  outcome_.backend = crew->worker->backend();
  if (!build_id_before_.empty() && BuildIdText(outcome_.modules[0]) != build_id_before_) {
    error_ = Error{fmt::format(
        "the unfinished search is of another build of the program (build id {}, this one has {}); "
        "run without --resume to start afresh",
        build_id_before_, BuildIdText(outcome_.modules[0]))};
    closed_ = true;
    changed_.notify_all();
    return false;
  }
  return true;
}

void RunLoop::Lost(const Job& job, const std::string& why) {
  bool give_up = false;
  {
    const std::lock_guard lock(mutex_);
    outcome_.notes.insert(fmt::format("A worker was lost and replaced: {}.", why));
    give_up = job.runs == 1 && ++losses_[job.plan.run] >= kLosses;
    dispenser_->Lose(job);
    changed_.notify_all();
  }
  if (give_up) {
    Fail(
        {fmt::format("run {} can't be made, tried {} times: {}; nothing of the program may touch "
                     "its parent process or memory that is not its own",
                     job.plan.run, kLosses, why)});
  }
}

void RunLoop::NoteUncontrolled(const Reply& reply, Crew* crew) {
  for (const UncontrolledRecord& record : reply.uncontrolled) {
    std::uint64_t& counted = crew->uncontrolled[{record.what, record.site}];
    if (record.count <= counted) continue;
    const std::string site = crew->namer.Location(record.site);
    const std::lock_guard lock(mutex_);
    Uncontrolled& entry = uncontrolled_[{record.what, site}];
    entry.what = record.what;
    entry.site = site;
    entry.effect = record.effect;
    entry.count += record.count - counted;
    counted = record.count;
  }
}

std::vector<RunResult> RunLoop::Judge(const Job& job, Reply reply, Crew* crew) {
  std::vector<RunResult> results(reply.records.size());
  for (std::size_t i = 0; i + 1 < results.size(); ++i) results[i].record = reply.records[i];
  results.back().record = reply.records.back();
  std::vector<PairCoverage> coverage = std::move(reply.coverage);
  AddSightings(reply, job.plan, job.points, crew->worker->modules(), &crew->sighted);
  for (RunResult& result : results) result.sighted = SightedBy(result.record, crew->sighted);
  Sighted sighted = std::move(results.back().sighted);
  results.back() = JudgeLast(std::move(reply), job.plan, job.points, crew->worker->modules(),
                             expected_, &crew->namer);
  results.back().sighted = std::move(sighted);
  for (std::size_t i = 0; i < coverage.size() && i < results.size(); ++i) {
    results[i].coverage = std::make_unique<const PairCoverage>(coverage[i]);
  }
  return results;
}

bool RunLoop::EndsSearch(const FailedRun& failed) {
  const std::lock_guard lock(deciding_);
  if (!passes_over_) return true;
  const auto known = ends_search_.find(failed.fingerprint);
  if (known != ends_search_.end()) return known->second;
  const bool ends = !passes_over_(failed);
  ends_search_.emplace(failed.fingerprint, ends);
  return ends;
}

bool RunLoop::Perform(const Job& job, Crew* crew) {
  if (crew->sites_of != job.points.get()) {
    crew->sites = job.points->For(crew->worker->modules());
    crew->sites_of = job.points.get();
    crew->checkpoints.Forget();
  }
  const bool checks_output = options_.expected_output.has_value();
  const bool is_judged_here = checks_output || options_.expected_exit != 0;
  const bool begins_anywhere = job.runs == 1 && job.wants_events;
  const double started = MonotonicSeconds();
  Reply reply = crew->worker->Run(
      {.plan = &job.plan,
       .runs = job.runs,
       .sites = crew->sites,
       .want_events = job.wants_events || is_judged_here,
       .run_on = job.wants_whole,
       .want_output = checks_output,
       .want_coverage = search_->WantsCoverage(),
       .checkpoints = begins_anywhere ? crew->checkpoints.For(job.plan) : CheckpointOrder()},
      &hard_stop_);
  switch (reply.kind) {
    case Reply::Kind::kDone:
      break;
    case Reply::Kind::kStopped:
      return false;
    case Reply::Kind::kDied:
    case Reply::Kind::kDamaged:
      Lost(job, reply.text);
      return false;
  }
  if (WasInCompany(job, reply, *crew)) return false;
  crew->seconds_per_run =
      (MonotonicSeconds() - started) / static_cast<double>(reply.records.size());
  if (begins_anywhere && reply.trace && reply.records.back().new_sites == 0) {
    crew->checkpoints.Made(job.plan, reply.trace->decisions, reply.checkpoints);
  } else {
    crew->checkpoints.Forget();
  }
  NoteUncontrolled(reply, crew);
  if (options_.worker.isolation != Isolation::kProgram) {
    crew->outcomes = crew->worker->Outcomes();
  }
  std::vector<RunResult> results = Judge(job, std::move(reply), crew);
  if (std::optional<FailedRun>& failed = results.back().failed) {
    failed->ends_search = EndsSearch(*failed);
  }
  const std::lock_guard lock(mutex_);
  for (const RunResult& result : results) {
    if (outcome_.cut_off || result.record.outcome != RunOutcome::kStepLimit) continue;
    outcome_.cut_off = CutOff{.plan = job.plan, .points = job.points};
    outcome_.cut_off->plan.run = result.record.run;
  }
  dispenser_->Give(job, std::move(results));
  changed_.notify_all();
  return true;
}

// In a library there is one process for many runs, or a body that begins where the process does.
CheckpointMode RunLoop::Mode() const {
  return options_.worker.isolation == Isolation::kProgram ? options_.checkpoint
                                                          : CheckpointMode::kOff;
}

void RunLoop::Work(int number) {
  Crew crew(number, ContextOf(invocation_, options_), Mode());
  // The worker goes on behind a run that it takes for a good one; what only this side can judge is
  // looked at run by run.
  const bool is_judged_here = options_.expected_output || options_.expected_exit != 0;
  while (!hard_stop_) {
    const std::optional<Job> job = Take(&crew, is_judged_here ? 1 : crew.BatchSize());
    if (!job) break;
    const bool has_worker = crew.worker != nullptr || StartWorker(&crew);
    if (has_worker && !Perform(*job, &crew)) crew.worker.reset();
    EndTurn();
    if (!has_worker) break;
  }
  crew.worker.reset();
  const std::lock_guard lock(mutex_);
  outcome_.checkpoints.Add(crew.checkpoints.counts());
  outcome_.outcomes.insert(outcome_.outcomes.end(), crew.outcomes.begin(), crew.outcomes.end());
  --working_;
  changed_.notify_all();
}

Progress RunLoop::Snapshot(double started) const {
  const Ledger& ledger = outcome_.ledger;
  Progress progress;
  progress.phase = "searching";
  progress.runs = ledger.runs();
  progress.events = ledger.events();
  progress.classes = ledger.classes().Count();
  progress.findings = ledger.failures().size() + ledger.sightings().size();
  progress.seconds = MonotonicSeconds() - started;
  if (progress.seconds > 0) {
    progress.runs_per_second =
        static_cast<double>(progress.runs + ledger.voided()) / progress.seconds;
  }
  progress.seconds_left = std::max(0.0, options_.seconds - progress.seconds);
  progress.estimated_runs = search_->EstimatedRuns();
  if (progress.runs_per_second > 0) {
    const double runs_left =
        progress.estimated_runs.runs > 0
            ? std::max(0.0,
                       std::min(progress.estimated_runs.runs, static_cast<double>(options_.runs)) -
                           static_cast<double>(progress.runs + runs_before_))
            : static_cast<double>(options_.runs - std::min(options_.runs, progress.runs));
    progress.seconds_left = std::min(progress.seconds_left, runs_left / progress.runs_per_second);
  }
  return progress;
}

StoppedBy RunLoop::Reason(const std::atomic<bool>& interrupt, bool out_of_time) const {
  const Ledger& ledger = outcome_.ledger;
  const bool has_ended_it =
      !options_.keep_going &&
      std::any_of(ledger.failures().begin(), ledger.failures().end(),
                  [](const Failing& failing) { return failing.first.ends_search; });
  if (has_ended_it) return StoppedBy::kFinding;
  if (outcome_.complete) return StoppedBy::kComplete;
  if (interrupt) return StoppedBy::kInterrupted;
  return out_of_time ? StoppedBy::kTime : StoppedBy::kRuns;
}

Result<SearchOutcome> RunLoop::Run(const std::atomic<bool>& interrupt,
                                   const ProgressFunction& progress,
                                   const FailureFunction& on_failure,
                                   const PassOverFunction& passes_over) {
  using std::chrono::milliseconds;
  passes_over_ = passes_over;
  const double started = MonotonicSeconds();
  outcome_.backend = options_.worker.backend;
  if (options_.resume) {
    if (const Status resumed = Resume(); !resumed) return resumed.error();
  }
  std::vector<std::thread> threads;
  working_ = options_.workers;
  for (int i = 0; i < options_.workers; ++i) threads.emplace_back([this, i] { Work(i); });
  if (on_failure) threads.emplace_back([this, &on_failure] { TellFailures(on_failure); });

  bool out_of_time = false;
  double cut_off = 0;
  double orphans_ended = started;
  double saved = started;
  std::unique_lock lock(mutex_);
  while (working_ > 0) {
    changed_.wait_for(lock, milliseconds(100), [this] { return working_ == 0; });
    const double now = MonotonicSeconds();
    const Progress state = Snapshot(started);
    if (now - saved > kSaveSeconds) {
      SaveState();
      saved = MonotonicSeconds();
    }
    lock.unlock();
    if (progress) progress(state);
    if (now - orphans_ended > kOrphanSeconds) {
      EndOrphans();
      orphans_ended = now;
    }
    if (cut_off == 0 && (interrupt || now - started > options_.seconds)) {
      out_of_time = !interrupt;
      cut_off = now;
      Close();
    }
    // Whether the very first run hangs is worth knowing.
    const double grace =
        state.runs == 0 && out_of_time ? options_.worker.hang_seconds + 1 : kGraceSeconds;
    if (cut_off != 0 && now - cut_off > grace) hard_stop_ = true;
    lock.lock();
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();

  if (error_) return *error_;
  if (cut_off != 0) dispenser_->Flush();
  if (search_->Complete() && !options_.state_file.empty()) {
    std::error_code ignored;
    std::filesystem::remove(options_.state_file, ignored);
  } else {
    SaveState();
  }
  const Ledger& ledger = outcome_.ledger;
  const bool one_schedule = ledger.StartsNoThread() && ledger.first_record().decisions == 0 &&
                            dispenser_->IsOver() && ledger.failures().empty();
  // Also where it was told to stop while its last runs were under way.
  outcome_.complete =
      (one_schedule || search_->Complete()) && !dispenser_->points()->HasUnseenLoops();
  outcome_.stopped_by = Reason(interrupt, out_of_time);
  outcome_.estimated_runs = search_->EstimatedRuns();
  outcome_.runs_learnt = runs_before_ + outcome_.ledger.runs();
  if (const std::string remark = search_->Remark(); !remark.empty()) {
    outcome_.remarks.insert(remark);
  }
  if (const HapSets* const seen = search_->LearntHapSets(); hapsets_ && seen != nullptr) {
    const Status written = hapsets_->Write(*seen, outcome_.modules);
    outcome_.remarks.insert(written ? hapsets_->Remark() : written.error().text);
  }
  if (Mode() == CheckpointMode::kOn) outcome_.remarks.insert(Describe(outcome_.checkpoints));
  outcome_.seconds = MonotonicSeconds() - started;
  outcome_.blocked_when_learnt = search_->BlockedRuns();
  for (std::string& remark : search_->Remarks()) outcome_.remarks.insert(std::move(remark));
  for (auto& [key, entry] : uncontrolled_) outcome_.uncontrolled.push_back(std::move(entry));
  return std::move(outcome_);
}

}  // namespace heddle
