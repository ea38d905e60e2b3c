#include "stats/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/rng.h"
#include "simulate/enumerate.h"
#include "simulate/generate.h"
#include "simulate/machine.h"
#include "strategy/nonpreemptive.h"
#include "strategy/random.h"

namespace heddle {
namespace {

using simulate::Interleaving;
using simulate::Machine;
using simulate::Program;

TEST(CoverageTest, AllNewIsAllUnseenAndAllSeenOftenIsHardlyUnseen) {
  const UnseenMass all_new = EstimateUnseenMass({.runs = 50, .classes = 50, .once = 50});
  EXPECT_EQ(all_new.estimate, 1);

  const UnseenMass none_new = EstimateUnseenMass({.runs = 1'000, .classes = 12});
  EXPECT_EQ(none_new.estimate, 0);
  EXPECT_NEAR(none_new.ci95.high, 0.003, 1e-4) << "rule of three";

  EXPECT_EQ(EstimateUnseenMass({}).estimate, 1);
}

TEST(CoverageTest, ChaoEstimatesNothingMoreWhereNothingWasRare) {
  EXPECT_EQ(EstimateClasses({.runs = 1'000, .classes = 12}), 12);
  EXPECT_GT(EstimateClasses({.runs = 100, .classes = 60, .once = 40, .twice = 10}), 120);
}

// The truth is known on the abstract machine: the random walk's exact probability of every class.
//
// A program with some hundred classes, 300 experiments of 300 runs. The estimate's mean must be the
// true mean, and the interval must hold the truth of its experiment in 95 % of them; the standard
// deviation of that share is sqrt(0.95 * 0.05 / 300) = 1.3 %.
TEST(CoverageTest, GoodTuringFindsTheTrueUnseenMassOfTheRandomWalk) {
  constexpr int kExperiments = 300, kRuns = 300;
  Rng rng(4);
  const int accesses[] = {6, 6};
  const Program program =
      simulate::MicroProgram({.threads = 3, .events = 4, .accesses = accesses}, rng);
  Machine machine(program, {.keep_records = false});
  NonPreemptivePolicy replay;
  std::map<std::uint64_t, double> probability;
  simulate::ForEachInterleaving(program, {}, [&](const Interleaving& interleaving) {
    Plan plan;
    plan.prefix = interleaving.answers;
    probability[machine.Run(plan, replay).class_hash] += interleaving.probability;
  });
  ASSERT_GT(probability.size(), 50u);

  RandomPolicy policy;
  double sum_of_truths = 0, sum_of_estimates = 0;
  int covered = 0, chao_within = 0;
  for (int experiment = 0; experiment < kExperiments; ++experiment) {
    ClassFrequencies frequencies;
    std::map<std::uint64_t, double> unseen = probability;
    Plan plan;
    plan.seed = static_cast<std::uint64_t>(experiment) + 1;
    for (plan.run = 1; plan.run <= kRuns; ++plan.run) {
      const std::uint64_t hash = machine.Run(plan, policy).class_hash;
      frequencies.Add(hash);
      unseen.erase(hash);
    }
    double truth = 0;
    for (const auto& [hash, p] : unseen) truth += p;
    const UnseenMass mass = EstimateUnseenMass(frequencies.Counts());
    sum_of_truths += truth;
    sum_of_estimates += mass.estimate;
    covered += mass.ci95.low <= truth && truth <= mass.ci95.high ? 1 : 0;
    const double chao = EstimateClasses(frequencies.Counts());
    chao_within += chao <= 1.2 * static_cast<double>(probability.size()) ? 1 : 0;
  }

  EXPECT_GT(sum_of_truths, 0.01 * kExperiments) << "too easy";
  EXPECT_NEAR(sum_of_estimates, sum_of_truths, 0.1 * sum_of_truths);
  EXPECT_GT(covered, kExperiments * (0.95 - 4 * 0.013));
  EXPECT_GT(chao_within, kExperiments * 0.9) << "a lower bound on average";
}

TEST(CoverageTest, TheSaturationCurveKeepsFewPointsAndTheLast) {
  SaturationCurve curve;
  for (std::uint64_t run = 1; run <= 70; ++run) curve.Add(run, run / 2 + 1);

  std::vector<std::uint64_t> runs;
  for (const SaturationCurve::Point& point : curve.Points()) runs.push_back(point.runs);

  EXPECT_THAT(runs, ::testing::ElementsAre(1, 2, 5, 10, 20, 50, 70));
  EXPECT_EQ(curve.Points().back().classes, 36u);
}

TEST(CoverageTest, TheSaturationCurveTakesBatches) {
  SaturationCurve curve;
  curve.Add(256, 10);
  curve.Add(512, 11);

  ASSERT_EQ(curve.Points().size(), 2u);
  EXPECT_EQ(curve.Points()[0].runs, 256u);
  EXPECT_EQ(curve.Points()[1].runs, 512u);
}

}  // namespace
}  // namespace heddle
