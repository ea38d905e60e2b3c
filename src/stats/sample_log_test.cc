#include "stats/sample_log.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(SampleLogTest, CountsRunsHitsClassesAndWhoseTheyWere) {
  SampleLog log;
  log.Add({.sampler = "random", .class_hash = 1});
  log.Add({.sampler = "pos", .class_hash = 2, .failed = true});
  log.Add({.sampler = "pos", .class_hash = 1});
  log.Add({.sampler = "pos", .class_hash = std::nullopt});

  const SamplingVerdict verdict = log.Judge(StoppingRule::kBudget);

  EXPECT_EQ(verdict.any.runs, 4u);
  EXPECT_EQ(verdict.any.hits, 1u);
  EXPECT_EQ(verdict.any.ratio, 0.25);
  EXPECT_EQ(verdict.classes_seen, 2);
  ASSERT_EQ(verdict.samplers.size(), 2u);
  EXPECT_EQ(verdict.samplers[0].name, "random");
  EXPECT_EQ(verdict.samplers[1].runs, 3u);
  EXPECT_EQ(verdict.samplers[1].hits, 1u);
  EXPECT_EQ(verdict.saturation.back().runs, 4u);
  EXPECT_EQ(verdict.saturation.back().classes, 2u);
}

TEST(SampleLogTest, ANewSchedulingPointForgetsWhatWasDrawnWithoutIt) {
  SampleLog log;
  for (std::uint64_t i = 0; i < 100; ++i) log.Add({.sampler = "random", .class_hash = i});
  log.Restart();
  log.Add({.sampler = "random", .class_hash = 7, .failed = true});

  const SamplingVerdict verdict = log.Judge(StoppingRule::kFirstHit);

  EXPECT_EQ(verdict.any.runs, 1u);
  EXPECT_EQ(verdict.any.ci95.high, 1) << "one run says little";
  EXPECT_EQ(verdict.classes_seen, 1);
  EXPECT_EQ(verdict.saturation.size(), 1u);
}

}  // namespace
}  // namespace heddle
