#include "stats/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulate/machine.h"
#include "simulate/paper_programs.h"
#include "simulate/sample.h"
#include "strategy/pos.h"

namespace heddle {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

FrequencyCounts CountsOf(const simulate::SampleCounts& sample) {
  FrequencyCounts counts{.runs = sample.runs, .classes = double(sample.classes.size())};
  for (const auto& [hash, times] : sample.classes) {
    counts.once += times == 1 ? 1 : 0;
    counts.twice += times == 2 ? 1 : 0;
  }
  return counts;
}

SamplingVerdict Judge(std::uint64_t hits, const FrequencyCounts& counts) {
  return JudgeSamples(MeasureHits(hits, counts.runs, StoppingRule::kBudget), StoppingRule::kBudget,
                      counts);
}

// Fig. 2 under POS: the truth is 1/48. 400 searches of 1,000 runs: at least 95 % of the intervals
// hold it, with a standard deviation of sqrt(0.95 * 0.05 / 400) = 1.1 %.
TEST(VerdictTest, TheRunningExamplesHitRatioLiesInItsInterval) {
  constexpr int kSearches = 400;
  int covered = 0;
  for (int search = 1; search <= kSearches; ++search) {
    const simulate::SampleCounts sample = simulate::Sample(
        simulate::Figure2(),
        {.strategy = "pos", .runs = 1'000, .seed = static_cast<std::uint64_t>(search)});
    const SamplingVerdict verdict = Judge(sample.failures, CountsOf(sample));
    covered += verdict.any.ci95.low <= 1.0 / 48 && 1.0 / 48 <= verdict.any.ci95.high ? 1 : 0;
  }
  EXPECT_GT(covered, kSearches * (0.95 - 4 * 0.011));
}

TEST(VerdictTest, ARunningExampleThatIsSampledLongIsSeenAltogether) {
  const simulate::SampleCounts sample =
      simulate::Sample(simulate::Figure2(), {.strategy = "pos", .runs = 20'000});

  const SamplingVerdict verdict = Judge(sample.failures, CountsOf(sample));

  EXPECT_EQ(verdict.classes_seen, 12);
  EXPECT_EQ(verdict.classes_estimate, 12);
  EXPECT_EQ(verdict.unseen.estimate, 0);
  // ln 0.01 / ln (47/48) = 218.7; the measured ratio is within 5 * 4.9 % of the true one.
  EXPECT_NEAR(static_cast<double>(verdict.runs_for_99), 219, 219 * 0.25);
}

// If the bound from n clean runs is p, then a failure of probability p stays hidden for n runs in
// at most 5 % of all searches: Fig. 1a under the random walk has a failure of exactly 2^-m.
TEST(VerdictTest, AFailureAsLikelyAsTheBoundHidesInFivePercentOfTheSearches) {
  constexpr int kM = 6, kSearches = 2'000;
  // The fewest runs whose bound is at most 2^-6.
  std::uint64_t runs = 1;
  while (UpperBoundWithoutHit(runs) > std::pow(0.5, kM)) ++runs;
  int hidden = 0;

  for (int search = 1; search <= kSearches; ++search) {
    const simulate::SampleCounts sample = simulate::Sample(
        simulate::Figure1a(kM),
        {.strategy = "random", .runs = runs, .seed = static_cast<std::uint64_t>(search)});
    hidden += sample.failures == 0 ? 1 : 0;
  }

  // Binomial(2000, 0.05): mean 100, standard deviation 9.7.
  EXPECT_NEAR(hidden, 100, 5 * 9.7);
}

TEST(VerdictTest, SaysWhatACleanSearchIsWorth) {
  const SamplingVerdict verdict =
      Judge(0, {.runs = 10'000, .classes = 412, .once = 30, .twice = 21});

  EXPECT_EQ(verdict.any.ratio, 0);
  EXPECT_NEAR(verdict.p_upper95, 2.9953e-4, 1e-8);
  EXPECT_EQ(verdict.runs_for_99, 15'373u);  // 10,000 * ln 0.01 / ln 0.05, rounded up
  const std::string text = Describe(verdict);
  EXPECT_THAT(text, HasSubstr("Verdict: 10,000 runs without a failure"));
  EXPECT_THAT(text, HasSubstr("below 0.0003"));
  EXPECT_THAT(text, HasSubstr("412 classes were seen"));
  EXPECT_THAT(text, HasSubstr("probability 0.003"));
}

TEST(VerdictTest, SaysHowOftenAFailureShows) {
  const std::string text = Describe(Judge(208, {.runs = 10'000, .classes = 12}));

  EXPECT_THAT(text, HasSubstr("Fails in 0.0208 of the runs"));
  EXPECT_THAT(text, HasSubstr("220 runs show a failure with 99 % probability"));
}

TEST(VerdictTest, ASearchThatStoppedAtItsFirstFailureDoesNotPromiseMore) {
  const HitRatio any = MeasureHits(1, 40, StoppingRule::kFirstHit);
  const SamplingVerdict verdict =
      JudgeSamples(any, StoppingRule::kFirstHit, {.runs = 40, .classes = 12});

  EXPECT_NEAR(any.ratio, 1.0 / 40, 1e-12);
  EXPECT_NEAR(any.ci95.low, 0.00063, 1e-5);
  EXPECT_NEAR(any.ci95.high, 0.0903, 1e-4);
  EXPECT_THAT(Describe(verdict), HasSubstr("A failure after 40 runs"));
  EXPECT_THAT(Describe(verdict), HasSubstr("0.00063 to 0.09"));
}

// Searches that stop at the first failure, as `heddle run` does: Fig. 2 under POS, 1/48.
// 1,000 of them: 95 % +- 0.7 %.
TEST(VerdictTest, TheIntervalOfAStoppedSearchHoldsTheRunningExamplesTruth) {
  constexpr int kSearches = 1'000;
  int covered = 0;
  double ratios = 0;
  const simulate::Program program = simulate::Figure2();
  simulate::Machine machine(program, {.keep_records = false});
  PosPolicy policy;
  Plan plan;
  plan.policy = "pos";
  plan.params[PosPolicy::kReadRelaxedParam] = 1;
  for (int search = 1; search <= kSearches; ++search) {
    std::uint64_t runs = 1;
    plan.seed = static_cast<std::uint64_t>(search);
    while (plan.run = runs, machine.Run(plan, policy).failure == FailureKind::kNone) ++runs;
    const HitRatio any = MeasureHits(1, runs, StoppingRule::kFirstHit);
    covered += any.ci95.low <= 1.0 / 48 && 1.0 / 48 <= any.ci95.high ? 1 : 0;
    ratios += any.ratio;
  }
  EXPECT_GT(covered, kSearches * (0.95 - 4 * 0.007));
  // Why the ratio alone would not be honest: the mean of 1/n is ln(48)/47 = 0.082, not 0.021.
  EXPECT_NEAR(ratios / kSearches, 0.082, 0.03);
}

TEST(VerdictTest, RunsThatWereAllCutOffHaveNoClasses) {
  SamplingVerdict verdict = Judge(0, {.runs = 246});
  verdict.saturation = {{10, 0}, {20, 0}};

  EXPECT_THAT(Describe(verdict), EndsWith("\nNo run came to its end, so no class was counted."));
}

TEST(VerdictTest, NoRunsNoVerdict) {
  EXPECT_EQ(Describe(Judge(0, {})), "No runs, no verdict.");
  EXPECT_EQ(Judge(0, {}).p_upper95, 1);
}

}  // namespace
}  // namespace heddle
