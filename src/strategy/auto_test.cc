#include "strategy/auto.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "simulate/generate.h"
#include "simulate/machine.h"
#include "simulate/paper_programs.h"
#include "strategy/registry.h"

namespace heddle {
namespace {

using simulate::Machine;
using simulate::Program;

// The explorer's part for an ordered search: up to `batch` plans out at a time, learnt in order.
struct Driver {
  explicit Driver(const Program& program, std::uint64_t seed = 1,
                  const StrategyInfo* exhaustive = nullptr, std::uint64_t runs = 10'000)
      : machine(program, {.cover = true}),
        search({.seed = seed, .params = {}, .runs = runs}, exhaustive) {}

  // False when the search is over.
  bool Round(int batch) {
    std::vector<Plan> out;
    while (static_cast<int>(out.size()) < batch) {
      std::optional<Plan> plan = search.Next();
      if (!plan) break;
      EXPECT_EQ(plan->run, runs + out.size() + 1);
      out.push_back(std::move(*plan));
    }
    for (const Plan& plan : out) {
      const std::unique_ptr<Policy> policy = FindStrategy(plan.policy)->make_policy();
      machine.Run(plan, *policy);
      RunTrace trace = machine.Trace();
      trace.record.new_pairs = coverage.Merge(machine.Coverage());
      trace.record.new_class = classes.insert(trace.record.class_hash).second ? 1 : 0;
      new_pairs[std::string(plan.policy)] += trace.record.new_pairs;
      ++by_policy[std::string(plan.policy)];
      policies.emplace_back(plan.policy);
      if (trace.record.failure != FailureKind::kNone && failed_at == 0) failed_at = plan.run;
      search.Learn(plan, trace);
      ++runs;
    }
    return !out.empty();
  }
  void Runs(std::uint64_t count) {
    while (runs < count && Round(1)) {
    }
  }

  Machine machine;
  AutoSearch search;
  PairCoverage coverage;
  std::set<std::uint64_t> classes;
  std::map<std::string, int> by_policy;
  std::map<std::string, std::uint64_t> new_pairs;
  std::vector<std::string> policies;
  std::uint64_t runs = 0;
  std::uint64_t failed_at = 0;
};

Program LargeProgram() {
  Rng rng(5);
  const int accesses[] = {10, 10, 10, 10};
  return simulate::MicroProgram({.threads = 4, .events = 10, .accesses = accesses}, rng);
}

TEST(AutoTest, EverySamplerKeepsItsFloor) {
  Driver driver(LargeProgram());

  driver.Runs(2'000);

  for (const char* name : {"surw", "pos", "pct", "urw", "random"}) {
    EXPECT_GE(driver.by_policy[name], 2'000 * 0.09) << name;
  }
  EXPECT_EQ(driver.by_policy.size(), 5u);
}

TEST(AutoTest, EarlyRunsGoRoundOneByOne) {
  Driver driver(LargeProgram());

  driver.Runs(AutoSearch::kProfileRuns + 10);

  for (int round = 0; round < 2; ++round) {
    const auto first = driver.policies.begin() + AutoSearch::kProfileRuns + 5 * round;
    EXPECT_EQ(std::set<std::string>(first, first + 5).size(), 5u);
  }
}

TEST(AutoTest, WhatItProposesDoesNotDependOnHowManyPlansAreOut) {
  std::vector<std::string> alone;
  for (const int batch : {1, 2, 7}) {
    Driver driver(LargeProgram());
    while (driver.runs < 500) driver.Round(batch);
    driver.policies.resize(500);
    if (batch == 1) alone = driver.policies;
    EXPECT_EQ(driver.policies, alone);
  }
}

TEST(AutoTest, ABlockIsHandedOverAtOnce) {
  Driver driver(LargeProgram());
  driver.Runs(2'000);
  std::uint64_t plans = 0, runs = 0;

  for (; runs < 300; ++plans) {
    const std::optional<Plan> plan = driver.search.Next();
    ASSERT_TRUE(plan.has_value());
    EXPECT_TRUE(driver.search.Independent());
    runs += 1 + driver.search.Extend(255);
  }

  EXPECT_LE(plans, 12u);
}

TEST(AutoTest, ASmallProgramIsExhausted) {
  const Program program = simulate::Figure1a(3);
  Driver driver(program, 1, FindStrategy("dfs"));

  while (driver.Round(1)) {
  }

  EXPECT_TRUE(driver.search.Complete());
  EXPECT_LT(driver.runs, 500u);
}

// C(14, 7) = 3,432 classes and 10,000 runs: not four times as many.
TEST(AutoTest, WhatFitsIntoTheBudgetIsExhausted) {
  Program program;
  for (int thread = 0; thread < 2; ++thread) {
    std::vector<simulate::Step> steps;
    for (int i = 0; i < 7; ++i) steps.push_back(simulate::Write(0, simulate::Const(thread)));
    program.Thread(steps);
  }
  Driver driver(program, 1, FindStrategy("optimal-dpor"));

  while (driver.runs < 10'000 && driver.Round(1)) {
  }

  EXPECT_TRUE(driver.search.Complete());
  EXPECT_EQ(driver.by_policy["optimal-dpor"], 3'432);
}

// Samples meet the same few classes again and again, so that they take the program for a small one.
TEST(AutoTest, AnExhaustiveSearchThatNeedsMoreThanItsShareGoesOnWhereThatFits) {
  constexpr int kSize = 10;  // the paper's lastzero: 2^(n-2) (n+3) classes
  Program program;
  std::vector<simulate::Step> search;
  for (int i = kSize; i >= 0; --i) {  // down to the first that is 0
    search.push_back(
        simulate::Read(static_cast<simulate::Object>(i)).Unless(simulate::Is::kNotEqual, 0, i));
  }
  program.Thread(search);
  for (int i = 1; i <= kSize; ++i) {
    program.Thread({simulate::Read(static_cast<simulate::Object>(i - 1)),
                    simulate::Write(static_cast<simulate::Object>(i), simulate::Const(1))});
  }
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Driver driver(program, seed, FindStrategy("optimal-dpor"));

    while (driver.runs < 10'000 && driver.Round(1)) {
    }

    EXPECT_TRUE(driver.search.Complete()) << seed;
  }
}

// dfs counts interleavings, of which there are far more than classes here.
TEST(AutoTest, AnExhaustiveSearchThatDoesNotEndIsGivenUp) {
  Program program;
  for (int thread = 0; thread < 3; ++thread) {
    std::vector<simulate::Step> steps;
    for (int i = 0; i < 6; ++i) {
      steps.push_back(simulate::Write(static_cast<simulate::Object>(thread), simulate::Const(i)));
    }
    program.Thread(steps);
  }
  Driver driver(program, 1, FindStrategy("dfs"), 5'000);

  driver.Runs(5'000);

  EXPECT_FALSE(driver.search.Complete());
  EXPECT_EQ(driver.runs, 5'000u);
  EXPECT_GT(driver.by_policy["dfs"], 10) << "it was tried";
  EXPECT_GT(driver.by_policy["surw"], 300) << "and then the samplers went on";
}

TEST(AutoTest, ANewSchedulingPointMakesItMeasureAgain) {
  Driver driver(LargeProgram());
  driver.Runs(100);

  driver.search.Rewind(60);

  const std::optional<Plan> plan = driver.search.Next();
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->run, 61u);
  EXPECT_FALSE(driver.search.Independent());
}

// 1/48 under POS, and more than 1/200 under every other arm: 2,000 runs miss it with probability
// below (1 - 1/200)^2000 = 4e-5 each.
TEST(AutoTest, FindsTheRunningExamplesBug) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Driver driver(simulate::Figure2(), seed);
    driver.Runs(2'000);
    EXPECT_NE(driver.failed_at, 0u) << seed;
  }
}

TEST(BanditTest, SharesFollowTheRewardsAboveTheFloor) {
  Bandit<4> bandit;
  for (const double share : bandit.SharesNow()) EXPECT_DOUBLE_EQ(share, 0.25);
  for (int run = 0; run < 10; ++run) {
    bandit.Reward(0, 3);
    bandit.Reward(1, 1);
    bandit.Reward(2, 0);
  }

  const auto shares = bandit.SharesNow();

  EXPECT_DOUBLE_EQ(shares[0], 0.125 + 0.5 * 0.75);
  EXPECT_DOUBLE_EQ(shares[1], 0.125 + 0.5 * 0.25);
  EXPECT_DOUBLE_EQ(shares[2], 0.125);
}

TEST(BanditTest, OldRewardsFade) {
  Bandit<2> bandit;
  bandit.Reward(0, 8);
  for (int round = 0; round < 30; ++round) {
    bandit.EndRound();
    bandit.Reward(0, 0);
    bandit.Reward(1, 1);
  }

  EXPECT_GT(bandit.SharesNow()[1], 0.74);
}

}  // namespace
}  // namespace heddle
