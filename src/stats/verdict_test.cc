#include "stats/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulate/paper_programs.h"
#include "simulate/sample.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

FrequencyCounts CountsOf(const simulate::SampleCounts& sample) {
  FrequencyCounts counts{.runs = sample.runs, .classes = double(sample.classes.size())};
  for (const auto& [hash, times] : sample.classes) {
    counts.once += times == 1 ? 1 : 0;
    counts.twice += times == 2 ? 1 : 0;
  }
  return counts;
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
    const Verdict verdict = Judge(sample.failures, CountsOf(sample));
    covered += verdict.ci95.low <= 1.0 / 48 && 1.0 / 48 <= verdict.ci95.high ? 1 : 0;
  }
  EXPECT_GT(covered, kSearches * (0.95 - 4 * 0.011));
}

TEST(VerdictTest, ARunningExampleThatIsSampledLongIsSeenAltogether) {
  const simulate::SampleCounts sample =
      simulate::Sample(simulate::Figure2(), {.strategy = "pos", .runs = 20'000});

  const Verdict verdict = Judge(sample.failures, CountsOf(sample));

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
  const Verdict verdict = Judge(0, {.runs = 10'000, .classes = 412, .once = 30, .twice = 21});

  EXPECT_EQ(verdict.hit_ratio, 0);
  EXPECT_NEAR(verdict.p_upper95, 2.9953e-4, 1e-8);
  EXPECT_EQ(verdict.runs_for_99, 15'373u);  // 10,000 * ln 0.01 / ln 0.05, rounded up
  const std::string text = Describe(verdict);
  EXPECT_THAT(text, HasSubstr("no failure in 10,000 runs"));
  EXPECT_THAT(text, HasSubstr("below 0.0003"));
  EXPECT_THAT(text, HasSubstr("412 partial orders seen"));
  EXPECT_THAT(text, HasSubstr("probability 0.003"));
}

TEST(VerdictTest, SaysHowOftenAFailureShows) {
  const std::string text = Describe(Judge(208, {.runs = 10'000, .classes = 12}));

  EXPECT_THAT(text, HasSubstr("fails in 0.0208 of the runs"));
  EXPECT_THAT(text, HasSubstr("220 runs show it with 99 % probability"));
}

TEST(VerdictTest, NoRunsNoVerdict) {
  EXPECT_EQ(Describe(Judge(0, {})), "no runs, no verdict");
  EXPECT_EQ(Judge(0, {}).p_upper95, 1);
}

}  // namespace
}  // namespace heddle
