#include "stats/proportion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace heddle {
namespace {

TEST(ProportionTest, IncompleteBetaMatchesItsClosedForms) {
  for (const double x : {0.01, 0.2, 0.5, 0.83, 0.999}) {
    EXPECT_NEAR(IncompleteBeta(1, 1, x), x, 1e-14);
    EXPECT_NEAR(IncompleteBeta(3, 1, x), x * x * x, 1e-14);
    EXPECT_NEAR(IncompleteBeta(1, 4, x), 1 - std::pow(1 - x, 4), 1e-14);
    EXPECT_NEAR(IncompleteBeta(2.5, 7, x), 1 - IncompleteBeta(7, 2.5, 1 - x), 1e-13);
  }
  EXPECT_EQ(IncompleteBeta(2, 3, 0), 0);
  EXPECT_EQ(IncompleteBeta(2, 3, 1), 1);
}

// P(X >= k) of a binomial is I_p(k, n - k + 1); here by summing it up.
TEST(ProportionTest, ClopperPearsonEndsCutOffHalfOfFivePercent) {
  const auto at_least = [](int k, int n, double p) {
    double sum = 0;
    for (int i = k; i <= n; ++i) {
      sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) +
                      i * std::log(p) + (n - i) * std::log1p(-p));
    }
    return sum;
  };
  for (const int k : {1, 3, 17, 39}) {
    const Interval interval = ClopperPearson95(static_cast<std::uint64_t>(k), 40);
    EXPECT_NEAR(at_least(k, 40, interval.low), 0.025, 1e-9);
    EXPECT_NEAR(1 - at_least(k + 1, 40, interval.high), 0.025, 1e-9);
  }
}

TEST(ProportionTest, IntervalsOfNothingAndEverythingReachTheEnds) {
  EXPECT_EQ(ClopperPearson95(0, 10).low, 0);
  EXPECT_NEAR(ClopperPearson95(0, 10).high, 1 - std::pow(0.025, 0.1), 1e-12);
  EXPECT_EQ(ClopperPearson95(10, 10).high, 1);
  EXPECT_NEAR(Wilson95(0, 10).low, 0, 1e-12);
  EXPECT_NEAR(Wilson95(10, 10).high, 1, 1e-12);
}

TEST(ProportionTest, IntervalsWorkAtFullSize) {
  const Interval interval = ClopperPearson95(1'041'667, 50'000'000);
  const Interval wilson = Wilson95(1'041'667, 50'000'000);

  // Normal there: 1/48 +- 1.96 sqrt(p (1-p) / n) = 0.0208333 +- 0.0000396.
  EXPECT_NEAR(interval.low, 0.0208333 - 0.0000396, 2e-7);
  EXPECT_NEAR(interval.high, 0.0208333 + 0.0000396, 2e-7);
  EXPECT_NEAR(interval.low, wilson.low, 1e-7);
}

TEST(ProportionTest, RuleOfThreeExactly) {
  EXPECT_NEAR(UpperBoundWithoutHit(10'000), 2.9953e-4, 1e-8);
  EXPECT_NEAR(std::pow(1 - UpperBoundWithoutHit(123), 123), 0.05, 1e-12);
  EXPECT_NEAR(std::pow(1 - UpperBoundWithoutHit(123, 0.01), 123), 0.01, 1e-12);
  EXPECT_EQ(UpperBoundWithoutHit(0), 1);
}

TEST(ProportionTest, RunsToHitAreTheFewestThatSuffice) {
  for (const double p : {0.5, 0.1, 1.0 / 48, 1e-4}) {
    const auto runs = static_cast<double>(RunsToHit(p));
    EXPECT_LE(std::pow(1 - p, runs), 0.01 + 1e-12);
    EXPECT_GT(std::pow(1 - p, runs - 1), 0.01);
  }
  EXPECT_EQ(RunsToHit(1), 1u);
  EXPECT_EQ(RunsToHit(0), UINT64_MAX);
}

// 2,000 experiments: a coverage of 95 % has standard deviation sqrt(0.95 * 0.05 / 2000) = 0.5 %.
TEST(ProportionTest, ClopperPearsonCoversTheTruthAtLeastAsOftenAsItPromises) {
  for (const double p : {1.0 / 48, 0.3}) {
    Rng rng(17);
    int covered = 0;
    for (int experiment = 0; experiment < 2'000; ++experiment) {
      std::uint64_t hits = 0;
      for (int run = 0; run < 500; ++run) hits += rng.Uniform() < p ? 1 : 0;
      const Interval interval = ClopperPearson95(hits, 500);
      covered += interval.low <= p && p <= interval.high ? 1 : 0;
    }
    EXPECT_GT(covered, 2'000 * (0.95 - 5 * 0.005));
  }
}

// The number of runs is random here, the number of hits is not. 4,000 experiments: a coverage of 95
// % has standard deviation 0.35 %. Discreteness only adds to it.
TEST(ProportionTest, TheIntervalOfASearchThatStopsAtItsFirstHitCoversTheTruth) {
  for (const double p : {1.0 / 48, 0.3}) {
    Rng rng(18);
    int covered = 0;
    for (int experiment = 0; experiment < 4'000; ++experiment) {
      std::uint64_t run = 1;
      while (rng.Uniform() >= p) ++run;
      const Interval interval = FirstHit95(run);
      covered += interval.low <= p && p <= interval.high ? 1 : 0;
    }
    EXPECT_GT(covered, 4'000 * (0.95 - 4 * 0.0035));
  }
  EXPECT_NEAR(FirstHit95(1).low, 0.025, 1e-12);
  EXPECT_EQ(FirstHit95(1).high, 1);
  EXPECT_LT(FirstHit95(100).high, ClopperPearson95(1, 100).high);
}

}  // namespace
}  // namespace heddle
