// The searching part of an exploration: a thread per worker, all fed by one Dispenser.
#ifndef HEDDLE_EXPLORE_RUN_LOOP_H_
#define HEDDLE_EXPLORE_RUN_LOOP_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "explore/checkpoints.h"
#include "explore/dispenser.h"
#include "explore/explorer.h"
#include "explore/hapset_file.h"
#include "explore/judge.h"
#include "explore/ledger.h"
#include "explore/turns.h"
#include "explore/worker.h"

namespace heddle {

// A run that the step limit ended, to be made again and looked at.
struct CutOff {
  Plan plan;
  std::shared_ptr<const PointSet> points;
};

struct SearchOutcome {
  Ledger ledger;
  std::optional<CutOff> cut_off;  // one of them
  StoppedBy stopped_by = StoppedBy::kRuns;
  bool complete = false;
  std::uint64_t blocked_when_learnt = 0;
  double seconds = 0;
  RunEstimate estimated_runs = {};
  std::uint64_t runs_learnt = 0;  // those before it was resumed included
  std::vector<ModuleRecord> modules;
  bool aslr_is_on = false;
  Backend backend = Backend::kFiber;
  std::vector<Uncontrolled> uncontrolled;
  CheckpointCounts checkpoints;
  std::set<std::string> notes;    // what may make the result worth less
  std::set<std::string> remarks;  // of the search, about itself
  // Of a body that is repeated in one process: a run saw an earlier one; not even the first run of
  // a process passes.
  bool leaks_state = false;
  std::string leak;  // how that was seen
  bool fails_at_once = false;
  std::optional<std::string> skipped;  // why
  std::vector<OutcomeRecord> outcomes;
  std::optional<WorkerDeath> before_main;  // the program ended before a run could be made
};

// Told of every failure when it is new, while the search goes on, from a thread of its own.
using FailureFunction = std::function<void(const Failing&)>;

// Whether the search goes on behind such a failure. Asked once by fingerprint, from a worker's
// thread, one at a time.
using PassOverFunction = std::function<bool(const FailedRun&)>;

// The last run of a hand-over: passed, or failed with all that repeating it needs.
RunResult JudgeLast(Reply reply, const Plan& plan, std::shared_ptr<const PointSet> points,
                    std::span<const ModuleRecord> modules, const Expectations& expected,
                    FailureNamer* namer);

// What a worker saw and survived, by index in its list. A run that sees something new ends its
// hand-over, so its trace is at hand: `seen` grows to the reply's list.
using Sighted = std::vector<std::shared_ptr<const FailedRun>>;
void AddSightings(const Reply& reply, const Plan& plan,
                  const std::shared_ptr<const PointSet>& points,
                  std::span<const ModuleRecord> modules, Sighted* seen);
// Those of them that the run saw.
Sighted SightedBy(const RunRecord& record, const Sighted& seen);

class RunLoop {
 public:
  RunLoop(const Invocation& invocation, const ExploreOptions& options, std::string temporary);

  // Once. Returns when the search is over, its budget is used up or `interrupt` is set.
  // `on_failure` may be empty; failures of the last moments are left to the caller, who has them
  // all in the outcome's ledger.
  // `passes_over`, too: then all failures end the search, unless it keeps going.
  Result<SearchOutcome> Run(const std::atomic<bool>& interrupt, const ProgressFunction& progress,
                            const FailureFunction& on_failure, const PassOverFunction& passes_over);

 private:
  struct Crew;  // one worker's thread-local state

  CheckpointMode Mode() const;
  void Work(int number);
  // Nothing: this worker is not needed any more. Behind a job that was taken comes EndTurn.
  std::optional<Job> Take(Crew* crew, std::uint32_t most);
  void EndTurn();
  // Runs that were made beside others, where there is room for one: they are made again.
  bool WasInCompany(const Job& job, const Reply& reply, const Crew& crew);
  bool StartWorker(Crew* crew);
  // Makes the job's runs; false when the worker is lost.
  bool Perform(const Job& job, Crew* crew);
  std::vector<RunResult> Judge(const Job& job, Reply reply, Crew* crew);
  bool EndsSearch(const FailedRun& failed);
  void NoteUncontrolled(const Reply& reply, Crew* crew);
  void Lost(const Job& job, const std::string& why);
  void Fail(Error error);
  void Close();
  void TellFailures(const FailureFunction& on_failure);
  Progress Snapshot(double started) const;
  // Begins with what a search before this one left.
  Status Resume();
  void SaveState();
  // The HaPSets of earlier searches, when the modules are known.
  Status ReadHapSets();
  StoppedBy Reason(const std::atomic<bool>& interrupt, bool out_of_time) const;

  const Invocation& invocation_;
  const ExploreOptions& options_;
  const Expectations expected_;
  const std::string temporary_;
  const std::unique_ptr<Search> search_;
  std::atomic<bool> hard_stop_ = false;

  std::mutex deciding_;  // what follows; taken before mutex_, if both are
  PassOverFunction passes_over_;
  std::map<std::string, bool> ends_search_;  // by fingerprint

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Dispenser> dispenser_;
  Turns turns_;
  bool closed_ = false;  // no more jobs
  int working_ = 0;      // threads that have not ended
  std::optional<Error> error_;
  std::map<std::uint64_t, int> losses_;  // by run
  std::uint64_t runs_before_ = 0;        // of a search that was resumed
  std::string build_id_before_;
  std::optional<HapsetFile> hapsets_;
  std::map<std::pair<std::string, std::string>, Uncontrolled> uncontrolled_;
  SearchOutcome outcome_;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_RUN_LOOP_H_
