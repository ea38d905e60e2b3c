#include "explore/dispenser.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"

namespace heddle {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// Adds to the set of points by replacing it: jobs that are out keep the one they were given.
class Points {
 public:
  std::shared_ptr<const PointSet> current() const { return current_; }
  std::uint64_t generation() const { return generation_; }

  bool Learn(const std::vector<Point>& points) {
    if (points.empty()) return false;
    PointSet next = *current_;
    if (!next.Add(points)) return false;
    current_ = std::make_shared<const PointSet>(std::move(next));
    ++generation_;
    return true;
  }

 private:
  std::shared_ptr<const PointSet> current_ = std::make_shared<const PointSet>();
  std::uint64_t generation_ = 0;
};

RunTrace RecordAlone(const RunRecord& record) {
  RunTrace trace;
  trace.record = record;
  return trace;
}

// Only one thread and nothing to decide: one run is all there is.
bool HasOneSchedule(const RunRecord& record) {
  return record.threads <= 1 && record.decisions == 0 && record.outcome != RunOutcome::kNone &&
         record.new_sites == 0;
}

class IndependentDispenser final : public Dispenser {
 public:
  IndependentDispenser(Search* search, Ledger* ledger, const DispenserOptions& options)
      : search_(search), ledger_(ledger), options_(options) {}

  std::optional<Job> Take(std::uint32_t most) override {
    if (IsOver()) return std::nullopt;
    // What the first runs of a point set learn decides whether later ones count: begin with small
    // jobs, and with the very first run alone.
    if (entered_ == 0 && !out_.empty()) return std::nullopt;
    const std::uint64_t calm = std::max<std::uint64_t>(1, entered_ - last_change_);
    most = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, calm));
    if (todo_.empty()) Refill(most);
    if (todo_.empty() || *todo_.begin() > horizon_) return std::nullopt;

    const std::uint64_t first = *todo_.begin();
    if (first <= single_until_) most = 1;
    Job job{.plan = given_.at(first),
            .runs = 0,
            .generation = points_.generation(),
            .points = points_.current()};
    while (job.runs < most && !todo_.empty() && *todo_.begin() == first + job.runs &&
           first + job.runs <= horizon_) {
      todo_.erase(todo_.begin());
      ++job.runs;
    }
    out_.insert({first, job.runs});
    return job;
  }

  void Give(const Job& job, std::vector<RunResult> results) override {
    out_.erase(job.plan.run);
    const std::uint64_t done = results.size();
    PutBack(job.plan.run + done, job.runs - done);
    if (job.generation != points_.generation()) {
      // They were asked for again when the set changed; what is newer than the change is void.
      PutBack(job.plan.run, done);
      return;
    }
    for (RunResult& result : results) {
      const std::uint64_t run = result.record.run;
      if (Matters(result)) horizon_ = std::min(horizon_, run);
      waiting_.emplace(run, std::move(result));
    }
    EnterInOrder();
  }

  void Lose(const Job& job) override {
    out_.erase(job.plan.run);
    single_until_ = std::max(single_until_, job.plan.run + job.runs - 1);
    PutBack(job.plan.run, job.runs);
  }

  bool IsOver() const override {
    return over_ || entered_ >= options_.runs || (exhausted_ && given_.empty());
  }

  void Flush() override {
    for (auto& [run, result] : std::exchange(waiting_, {})) {
      if (over_) break;
      Enter(std::move(result));
    }
  }

 private:
  // Whether what comes behind this run may not count.
  bool Matters(const RunResult& result) const {
    return !result.new_points.empty() || (result.failed && !options_.keep_going);
  }

  void Refill(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count && last_given_ < options_.runs && !exhausted_; ++i) {
      std::optional<Plan> plan = search_->Next();
      if (!plan) {
        exhausted_ = true;
        break;
      }
      HEDDLE_CHECK(plan->run == last_given_ + 1);
      ++last_given_;
      todo_.insert(plan->run);
      given_.emplace(plan->run, std::move(*plan));
    }
  }

  void PutBack(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t run = first; run < first + count; ++run) {
      if (given_.count(run) != 0 && waiting_.count(run) == 0) todo_.insert(run);
    }
  }

  void EnterInOrder() {
    while (!over_) {
      const auto next = waiting_.find(entered_ + 1);
      if (next == waiting_.end()) return;
      RunResult result = std::move(next->second);
      waiting_.erase(next);
      Enter(std::move(result));
    }
  }

  void Enter(RunResult result) {
    const std::uint64_t run = result.record.run;
    const std::vector<Point> new_points = std::move(result.new_points);
    const bool ends = result.failed && !options_.keep_going;
    const bool only_one = entered_ == 0 && HasOneSchedule(result.record);
    search_->Learn(given_.at(run), RecordAlone(result.record));
    ledger_->Enter(given_.at(run), std::move(result));
    given_.erase(run);
    entered_ = run;
    over_ = over_ || ends || only_one;
    if (over_) return;
    if (!points_.Learn(new_points)) {
      if (horizon_ == run) horizon_ = kNever;
      return;
    }
    ledger_->StartAnew(false);
    last_change_ = run;
    horizon_ = kNever;
    for (const auto& [later, unused] : std::exchange(waiting_, {})) todo_.insert(later);
  }

  Search* const search_;
  Ledger* const ledger_;
  const DispenserOptions options_;
  Points points_;
  std::uint64_t last_given_ = 0;
  std::uint64_t entered_ = 0;       // all runs up to here are in the ledger
  std::uint64_t last_change_ = 0;   // the run that last changed the point set
  std::uint64_t horizon_ = kNever;  // no run beyond it is given out for now
  std::uint64_t single_until_ = 0;
  bool exhausted_ = false;
  bool over_ = false;
  std::map<std::uint64_t, Plan> given_;  // not entered yet
  std::set<std::uint64_t> todo_;
  std::map<std::uint64_t, std::uint32_t> out_;  // first run and number of runs of jobs that are out
  std::map<std::uint64_t, RunResult> waiting_;
};

class AdaptiveDispenser final : public Dispenser {
 public:
  AdaptiveDispenser(Search* search, Ledger* ledger, const DispenserOptions& options)
      : search_(search), ledger_(ledger), options_(options) {}

  std::optional<Job> Take(std::uint32_t) override {
    if (IsOver() || first_failure_ != kNever) return std::nullopt;
    if (ledger_->runs() + out_.size() >= options_.runs) return std::nullopt;
    // The first run of a point set is likely to add to it.
    if (ledger_->runs() == 0 && !out_.empty()) return std::nullopt;
    std::optional<Plan> plan;
    if (!again_.empty()) {
      plan = std::move(again_.back());
      again_.pop_back();
    } else {
      plan = search_->Next();
    }
    if (!plan) {
      exhausted_ = out_.empty();
      return std::nullopt;
    }
    out_.insert(plan->run);
    return Job{.plan = std::move(*plan),
               .runs = 1,
               .generation = points_.generation(),
               .points = points_.current()};
  }

  void Give(const Job& job, std::vector<RunResult> results) override {
    HEDDLE_CHECK(results.size() == 1);
    if (job.generation != points_.generation()) return;
    RunResult& result = results.front();
    out_.erase(job.plan.run);
    const std::vector<Point> new_points = std::move(result.new_points);
    const bool only_one = HasOneSchedule(result.record) && ledger_->runs() == 0;
    if (result.failed && !options_.keep_going)
      first_failure_ = std::min(first_failure_, job.plan.run);
    {
      const RunTrace trace = result.trace    ? result.trace->View()
                             : result.failed ? result.failed->trace.View()
                                             : RecordAlone(result.record);
      search_->Learn(job.plan, trace);
    }
    ledger_->Enter(job.plan, std::move(result));
    over_ = over_ || only_one;
    if (over_ || first_failure_ != kNever || !points_.Learn(new_points)) return;
    out_.clear();
    again_.clear();
    search_->Restart();
    ledger_->StartAnew(true);
  }

  void Lose(const Job& job) override {
    if (job.generation != points_.generation()) return;
    out_.erase(job.plan.run);
    again_.push_back(job.plan);
  }

  bool IsOver() const override {
    if (over_ || exhausted_) return true;
    // Smaller runs that are still out may fail too.
    if (first_failure_ != kNever) return out_.empty() || *out_.begin() > first_failure_;
    return ledger_->runs() >= options_.runs;
  }

 private:
  Search* const search_;
  Ledger* const ledger_;
  const DispenserOptions options_;
  Points points_;
  std::set<std::uint64_t> out_;
  std::vector<Plan> again_;
  std::uint64_t first_failure_ = kNever;
  bool exhausted_ = false;
  bool over_ = false;
};

}  // namespace

std::unique_ptr<Dispenser> MakeDispenser(Search* search, Ledger* ledger,
                                         const DispenserOptions& options) {
  if (search->Independent()) {
    return std::make_unique<IndependentDispenser>(search, ledger, options);
  }
  return std::make_unique<AdaptiveDispenser>(search, ledger, options);
}

}  // namespace heddle
