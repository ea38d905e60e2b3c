#include "explore/dispenser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "base/hash.h"
#include "base/rng.h"
#include "strategy/registry.h"

namespace heddle {
namespace {

// A program whose runs depend on (run, points) only: some runs see a new point, some fail once
// enough points are known. Counts what it is asked to do.
struct World {
  std::vector<std::uint64_t> point_at = {};  // runs that see a new point, in order
  std::uint64_t fails_at = 0;                // from this run on, when all points are known
  int made = 0;

  RunResult Make(std::uint64_t run, const PointSet& points) {
    ++made;
    RunResult result;
    result.record.run = run;
    result.record.threads = 3;
    result.record.decisions = 2;
    result.record.events = 10 + points.size();
    result.record.outcome = RunOutcome::kExited;
    result.record.class_hash = Mix(run % 7, points.size());
    const std::size_t known = points.size();
    if (known < point_at.size() && run >= point_at[known]) {
      result.record.new_sites = 1;
      result.new_points = {{"program", static_cast<std::uint32_t>(known)}};
    }
    if (fails_at != 0 && run >= fails_at && known == point_at.size()) {
      FailedRun failed;
      failed.plan.run = run;
      failed.fingerprint = run % 2 == 0 ? "even" : "odd";
      result.failed = std::move(failed);
      result.record.outcome = RunOutcome::kFailed;
    }
    return result;
  }

  // As a worker does: ends a batch at a run that fails or sees a new point.
  std::vector<RunResult> MakeJob(const Job& job) {
    std::vector<RunResult> results;
    for (std::uint32_t i = 0; i < job.runs; ++i) {
      results.push_back(Make(job.plan.run + i, *job.points));
      if (results.back().failed || !results.back().new_points.empty()) break;
    }
    return results;
  }
};

struct Settings {
  int workers = 1;
  std::uint64_t seed = 1;
  int lose_every = 0;  // every nth job loses its worker
};

// Workers that finish in a random order.
Ledger Search(World world, const DispenserOptions& options, const Settings& settings) {
  const StrategyInfo* const random = FindStrategy("random");
  const auto search = random->make_search({.seed = 1});
  Ledger ledger;
  const auto dispenser = MakeDispenser(search.get(), &ledger, options);
  Rng rng(settings.seed);
  std::vector<Job> out;
  int jobs = 0;
  while (true) {
    while (static_cast<int>(out.size()) < settings.workers) {
      const std::uint64_t most = 1 + rng.Below(20);
      auto job = dispenser->Take(static_cast<std::uint32_t>(most));
      if (!job) break;
      out.push_back(std::move(*job));
    }
    if (out.empty()) break;
    const std::uint64_t index = rng.Below(out.size());
    const Job job = out[index];
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(index));
    if (settings.lose_every != 0 && ++jobs % settings.lose_every == 0) {
      dispenser->Lose(job);
    } else {
      dispenser->Give(job, world.MakeJob(job));
    }
  }
  EXPECT_TRUE(dispenser->IsOver());
  return ledger;
}

void ExpectSame(const Ledger& a, const Ledger& b) {
  EXPECT_EQ(a.runs(), b.runs());
  EXPECT_EQ(a.events(), b.events());
  EXPECT_EQ(a.restarts(), b.restarts());
  EXPECT_EQ(a.classes().Count(), b.classes().Count());
  EXPECT_EQ(a.samples().runs(), b.samples().runs());
  EXPECT_EQ(a.samples().Judge({}).any.hits, b.samples().Judge({}).any.hits);
  EXPECT_EQ(a.samples().Judge({}).unseen.estimate, b.samples().Judge({}).unseen.estimate);
  ASSERT_EQ(a.failures().size(), b.failures().size());
  for (std::size_t i = 0; i < a.failures().size(); ++i) {
    EXPECT_EQ(a.failures()[i].first.plan.run, b.failures()[i].first.plan.run);
    EXPECT_EQ(a.failures()[i].hits, b.failures()[i].hits);
  }
}

TEST(DispenserTest, ManyWorkersFindWhatOneFinds) {
  const World world{.point_at = {1, 5, 40}, .fails_at = 77};
  for (const bool keep_going : {false, true}) {
    const DispenserOptions options{.runs = 200, .keep_going = keep_going};
    const Ledger one = Search(world, options, {});

    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const Ledger many = Search(world, options, {.workers = 8, .seed = seed});
      ExpectSame(one, many);
    }
  }
}

// Points are new in runs 1, 5 and 40; from run 77 on all fail.
TEST(DispenserTest, ANewSchedulingPointRestartsTheStatistics) {
  const World world{.point_at = {1, 5, 40}, .fails_at = 77};

  const Ledger ledger = Search(world, {.runs = 200, .keep_going = true}, {});

  EXPECT_EQ(ledger.runs(), 200u);
  EXPECT_EQ(ledger.samples().runs(), 160u);
  EXPECT_EQ(ledger.samples().Judge(StoppingRule::kBudget).any.hits, 124u);
  EXPECT_EQ(ledger.failures()[0].counted_hits + ledger.failures()[1].counted_hits, 124u);
}

TEST(DispenserTest, WithoutKeepGoingTheSmallestFailingRunIsTheLast) {
  const World world{.fails_at = 77};

  const Ledger ledger = Search(world, {.runs = 1000}, {.workers = 8, .seed = 3});

  EXPECT_EQ(ledger.runs(), 77u);
  ASSERT_EQ(ledger.failures().size(), 1u);
  EXPECT_EQ(ledger.failures()[0].first.plan.run, 77u);
}

TEST(DispenserTest, WithKeepGoingTheBudgetIsUsedAndHitsAreCounted) {
  const World world{.fails_at = 91};

  const Ledger ledger = Search(world, {.runs = 100, .keep_going = true}, {.workers = 4});

  EXPECT_EQ(ledger.runs(), 100u);
  ASSERT_EQ(ledger.failures().size(), 2u);
  EXPECT_EQ(ledger.failures()[0].hits, 5u);  // 91, 93 ... 99
  EXPECT_EQ(ledger.failures()[1].hits, 5u);
}

TEST(DispenserTest, RunsOfALostWorkerAreMadeAgain) {
  const World world{.point_at = {3}, .fails_at = 60};
  const DispenserOptions options{.runs = 100};
  const Ledger one = Search(world, options, {});

  const Ledger lossy = Search(world, options, {.workers = 3, .seed = 2, .lose_every = 3});

  ExpectSame(one, lossy);
}

TEST(DispenserTest, AProgramWithOneThreadIsRunOnce) {
  const auto search = FindStrategy("random")->make_search({.seed = 1});
  Ledger ledger;
  const auto dispenser = MakeDispenser(search.get(), &ledger, {.runs = 100});
  const auto job = dispenser->Take(10);
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->runs, 1u);
  EXPECT_FALSE(dispenser->Take(10).has_value());  // the first run goes alone

  RunResult result;
  result.record.run = 1;
  result.record.threads = 1;
  result.record.outcome = RunOutcome::kExited;
  std::vector<RunResult> results;
  results.push_back(std::move(result));
  dispenser->Give(*job, std::move(results));

  EXPECT_TRUE(dispenser->IsOver());
  EXPECT_EQ(ledger.runs(), 1u);
}

TEST(DispenserTest, ASearchThatIsCutOffKeepsFailuresThatWaitedForTheirTurn) {
  const auto search = FindStrategy("random")->make_search({.seed = 1});
  Ledger ledger;
  const auto dispenser = MakeDispenser(search.get(), &ledger, {.runs = 100});
  World world{.fails_at = 3};
  const auto first = dispenser->Take(1);
  dispenser->Give(*first, world.MakeJob(*first));
  const auto second = dispenser->Take(1);
  const auto third = dispenser->Take(1);
  dispenser->Give(*third, world.MakeJob(*third));  // the second never comes back
  EXPECT_TRUE(ledger.failures().empty());

  dispenser->Flush();

  EXPECT_EQ(ledger.failures().size(), 1u);
}

// A search with two plans, to see what an adaptive one is told.
class TwoPlans final : public heddle::Search {
 public:
  std::optional<Plan> Next() override {
    if (given >= 2) return std::nullopt;
    Plan plan;
    plan.run = ++given;
    return plan;
  }
  void Learn(const Plan&, const RunTrace&) override { ++learnt; }
  bool Complete() const override { return learnt == 2; }
  void Restart() override { given = learnt = 0; }
  std::string Save() const override { return ""; }
  Status Load(std::string_view) override { return {}; }

  std::uint64_t given = 0;
  int learnt = 0;
};

TEST(DispenserTest, ANewPointRestartsAnAdaptiveSearchAndVoidsItsRuns) {
  TwoPlans search;
  Ledger ledger;
  const auto dispenser = MakeDispenser(&search, &ledger, {.runs = 100});
  World world{.point_at = {2}};
  const auto first = dispenser->Take(1);
  dispenser->Give(*first, world.MakeJob(*first));
  const auto second = dispenser->Take(1);
  dispenser->Give(*second, world.MakeJob(*second));  // sees the point

  EXPECT_EQ(ledger.runs(), 0u);
  EXPECT_EQ(ledger.voided(), 2u);
  int made = 0;
  while (const auto job = dispenser->Take(1)) {
    EXPECT_EQ(job->points->size(), 1u);
    dispenser->Give(*job, world.MakeJob(*job));
    ++made;
  }
  EXPECT_EQ(made, 2);
  EXPECT_TRUE(dispenser->IsOver());
  EXPECT_TRUE(search.Complete());
}

TEST(DispenserTest, PlansFromBeforeARestartTeachNothing) {
  TwoPlans search;
  Ledger ledger;
  const auto dispenser = MakeDispenser(&search, &ledger, {.runs = 100});
  World calm;
  World world{.point_at = {1}};
  const auto zeroth = dispenser->Take(1);
  dispenser->Give(*zeroth, calm.MakeJob(*zeroth));
  search.given = 0;
  const auto first = dispenser->Take(1);
  const auto second = dispenser->Take(1);
  dispenser->Give(*first, world.MakeJob(*first));
  EXPECT_EQ(search.learnt, 0);

  dispenser->Give(*second, world.MakeJob(*second));

  EXPECT_EQ(search.learnt, 0);
  EXPECT_EQ(ledger.runs(), 0u);
}

}  // namespace
}  // namespace heddle
