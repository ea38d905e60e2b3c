// What a search has found out: statistics over its runs, and its failures by fingerprint.
//
// Only runs that count are entered (see dispenser.h), so two searches that enter the same runs in
// the same order have the same ledger, however many workers made them.
#ifndef HEDDLE_EXPLORE_LEDGER_H_
#define HEDDLE_EXPLORE_LEDGER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explore/class_counter.h"
#include "explore/point_set.h"
#include "explore/validate.h"
#include "stats/sample_log.h"
#include "trace/plan.h"

namespace heddle {

// A run that failed, with all that repeating it needs.
struct FailedRun {
  Plan plan;
  OwnedTrace trace;
  std::vector<ModuleRecord> modules;  // of its worker: the trace's addresses are theirs
  std::shared_ptr<const PointSet> points;
  std::string output;
  std::string fingerprint;
  bool wrong_output = false;  // it passed, but printed something else than it should
  // What failed behind the failure of another run: the plan is to lead to it, and has not been run.
  // The fingerprint is preliminary.
  bool is_later = false;
  // Failures before it that do not count (Order). Where `is_later`, the trace's decisions lead to
  // it with these.
  std::uint32_t parked = 0;
  bool is_sighting = false;  // it saw something and went on; the fingerprint is a SightingKey
  bool ends_search = true;   // unless the search keeps going
};

// One run as a worker gives it back.
struct RunResult {
  RunRecord record;
  std::optional<OwnedTrace> trace;  // when the search learns from it
  std::optional<FailedRun> failed;
  std::vector<Point> new_points;
  std::unique_ptr<const PairCoverage> coverage;           // when the search asks for it
  std::vector<std::shared_ptr<const FailedRun>> sighted;  // what it saw and survived
  std::vector<FailedRun> later;                           // what failed in it, too, behind `failed`
};

// A failure of the search, at its first run.
struct Failing {
  FailedRun first;
  std::uint64_t hits = 1;
  std::uint64_t counted_hits = 0;  // in samples since the scheduling points last changed
};

class Ledger {
 public:
  // Fills in what the run showed that none before it did; before Enter.
  void MeasureNovelty(RunResult* result);
  // `plan` is the run's, or the first one's of its batch.
  void Enter(const Plan& plan, RunResult result);
  // Runs that passed, made by a search inside the worker; a class each. `plan` is any of theirs.
  void EnterMany(const Plan& plan, const SearchReport& report,
                 std::span<const std::uint64_t> classes);

  // Such runs saw something and survived it.
  void EnterSighting(const FailedRun& sighted, std::uint64_t hits);

  // A scheduling point was added. `void_runs`: the runs so far were of another search space and do
  // not count as runs of this one; otherwise only the classes and the samples start anew.
  void StartAnew(bool void_runs);

  std::uint64_t runs() const { return now_.runs; }
  std::uint64_t events() const { return now_.events; }
  std::uint64_t blocked() const { return now_.blocked; }
  std::uint64_t step_limited() const { return now_.step_limited; }
  std::uint64_t diverged() const { return now_.diverged; }
  std::uint64_t voided() const { return voided_; }
  std::uint64_t restarts() const { return restarts_; }
  const ClassCounter& classes() const { return classes_; }
  const SampleLog& samples() const { return samples_; }
  const RunRecord& first_record() const { return first_record_; }
  // The only run had one thread, and was not cut off before it could start another.
  bool StartsNoThread() const {
    return now_.runs == 1 && first_record_.threads <= 1 && !WasCutOffAlone() && now_.diverged == 0;
  }
  // The only run did not get as far as a second thread: nothing was searched.
  bool WasCutOffAlone() const {
    return now_.runs == 1 && first_record_.threads <= 1 && now_.step_limited != 0;
  }

  // In the order of their first runs.
  const std::vector<Failing>& failures() const { return failures_; }
  std::vector<Failing> TakeFailures() { return std::move(failures_); }
  // What failed behind those, in the same runs.
  std::vector<Failing> TakeLater() { return std::move(later_); }
  // What runs saw and survived, by their first runs.
  const std::vector<Failing>& sightings() const { return sightings_; }
  std::vector<Failing> TakeSightings() { return std::move(sightings_); }

 private:
  struct Counts {
    std::uint64_t runs = 0;
    std::uint64_t events = 0;
    std::uint64_t blocked = 0;
    std::uint64_t step_limited = 0;
    std::uint64_t diverged = 0;
  };

  void CountSighting(const FailedRun& sighted, std::uint64_t hits, std::uint64_t counted);

  Counts now_;
  std::uint64_t voided_ = 0;
  std::uint64_t restarts_ = 0;
  ClassCounter classes_;
  SampleLog samples_;
  PairCoverage coverage_;
  RunRecord first_record_;
  std::vector<Failing> failures_;
  std::vector<Failing> later_;
  std::vector<Failing> sightings_;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_LEDGER_H_
