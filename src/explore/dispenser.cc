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

  explicit Points(const std::vector<Point>& known) { Learn(known); }

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

// Only one thread and nothing to decide: one run is all there is.
bool HasOneSchedule(const RunRecord& record) {
  return record.threads <= 1 && record.decisions == 0 && record.outcome != RunOutcome::kNone &&
         record.new_sites == 0;
}

// What Learn is told: the whole trace where there is one.
RunTrace TraceFor(const RunResult& result) {
  RunTrace trace = result.trace    ? result.trace->View()
                   : result.failed ? result.failed->trace.View()
                                   : RunTrace();
  trace.record = result.record;
  return trace;
}

bool Ends(const RunResult& result, const DispenserOptions& options) {
  return result.failed && result.failed->ends_search && !options.keep_going;
}

class OrderedDispenser final : public Dispenser {
 public:
  OrderedDispenser(Search* search, Ledger* ledger, const DispenserOptions& options)
      : search_(search), ledger_(ledger), options_(options), points_(options.points) {}

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
    const Given& given = given_.at(first);
    if (first <= single_until_ || given.wants_events) most = 1;
    Job job{.plan = *given.plan,
            .runs = 0,
            .wants_events = given.wants_events,
            .wants_whole = given.wants_events && search_->WantsWholeRuns(),
            .generation = points_.generation(),
            .points = points_.current()};
    job.plan.run = first;
    while (job.runs < most && !todo_.empty() && *todo_.begin() == first + job.runs &&
           first + job.runs <= horizon_ && given_.at(first + job.runs).plan == given.plan) {
      todo_.erase(todo_.begin());
      ++job.runs;
    }
    out_.insert({first, job.runs});
    return job;
  }

  void Give(const Job& job, std::vector<RunResult> results) override {
    // What is older than the last change of the points is void; its runs were proposed again.
    if (job.generation != points_.generation()) return;
    out_.erase(job.plan.run);
    const std::uint64_t done = results.size();
    PutBack(job.plan.run + done, job.runs - done);
    for (RunResult& result : results) {
      const std::uint64_t run = result.record.run;
      if (Matters(result)) horizon_ = std::min(horizon_, run);
      waiting_.emplace(run, std::move(result));
    }
    EnterInOrder();
  }

  void Lose(const Job& job) override {
    if (job.generation != points_.generation()) return;
    out_.erase(job.plan.run);
    single_until_ = std::max(single_until_, job.plan.run + job.runs - 1);
    PutBack(job.plan.run, job.runs);
  }

  std::shared_ptr<const PointSet> points() const override { return points_.current(); }

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
  struct Given {
    std::shared_ptr<Plan> plan;  // the same one for all runs that may be handed over together
    bool wants_events = false;
  };

  // Whether what comes behind this run may not count.
  bool Matters(const RunResult& result) const {
    return !result.new_points.empty() || Ends(result, options_);
  }

  void Refill(std::uint32_t count) {
    while (count > 0 && last_given_ < options_.runs && !exhausted_) {
      std::optional<Plan> plan = search_->Next();
      if (!plan) {
        exhausted_ = given_.empty();
        return;
      }
      HEDDLE_CHECK(plan->run == last_given_ + 1);
      const Given given{.plan = std::make_shared<Plan>(std::move(*plan)),
                        .wants_events = !search_->Independent()};
      const std::uint64_t left = options_.runs - last_given_ - 1;
      const std::uint64_t more = std::min<std::uint64_t>(count - 1, left);
      const std::uint64_t runs = 1 + (given.wants_events ? 0 : search_->Extend(more));
      for (std::uint64_t i = 0; i < runs; ++i) {
        ++last_given_;
        todo_.insert(last_given_);
        given_.emplace(last_given_, given);
      }
      count -= static_cast<std::uint32_t>(runs);
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
    const bool ends = Ends(result, options_);
    const bool only_one = entered_ == 0 && HasOneSchedule(result.record);
    const std::shared_ptr<Plan> plan = given_.at(run).plan;
    plan->run = run;
    ledger_->MeasureNovelty(&result);
    search_->Learn(*plan, TraceFor(result));
    ledger_->Enter(*plan, std::move(result));
    given_.erase(run);
    entered_ = run;
    over_ = over_ || ends || only_one;
    if (over_) return;
    if (!points_.Learn(new_points)) {
      if (horizon_ == run) horizon_ = kNever;
      return;
    }
    ledger_->StartAnew(false);
    search_->Rewind(run);
    given_.clear();
    todo_.clear();
    out_.clear();
    waiting_.clear();
    last_given_ = run;
    last_change_ = run;
    horizon_ = kNever;
    exhausted_ = false;
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
  std::map<std::uint64_t, Given> given_;  // not entered yet
  std::set<std::uint64_t> todo_;
  std::map<std::uint64_t, std::uint32_t> out_;  // first run and number of runs of jobs that are out
  std::map<std::uint64_t, RunResult> waiting_;
};

class AdaptiveDispenser final : public Dispenser {
 public:
  AdaptiveDispenser(Search* search, Ledger* ledger, const DispenserOptions& options)
      : search_(search), ledger_(ledger), options_(options), points_(options.points) {}

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
               .wants_events = true,
               .wants_whole = search_->WantsWholeRuns(),
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
    if (Ends(result, options_)) first_failure_ = std::min(first_failure_, job.plan.run);
    // Cut off while it was alone: there is nothing in it to learn from, and it is long.
    const bool is_of_use = !only_one || result.record.outcome != RunOutcome::kStepLimit;
    ledger_->MeasureNovelty(&result);
    if (is_of_use) search_->Learn(job.plan, TraceFor(result));
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

  std::shared_ptr<const PointSet> points() const override { return points_.current(); }

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
  if (search->Ordered()) {
    return std::make_unique<OrderedDispenser>(search, ledger, options);
  }
  return std::make_unique<AdaptiveDispenser>(search, ledger, options);
}

}  // namespace heddle
