#include "stats/class_frequencies.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(ClassFrequenciesTest, CountsClassesByHowOftenTheyWereSeen) {
  ClassFrequencies frequencies;
  for (const std::uint64_t hash : {1, 2, 2, 3, 3, 3, 4}) frequencies.Add(hash);

  const FrequencyCounts counts = frequencies.Counts();

  EXPECT_EQ(counts.runs, 7u);
  EXPECT_EQ(counts.classes, 4);
  EXPECT_EQ(counts.once, 2);
  EXPECT_EQ(counts.twice, 1);
  EXPECT_TRUE(counts.exact);
}

// 100,000 classes, every third seen twice, every sixth a third time; at most 1,000 are followed,
// that is between 500 and 1,000: a relative error of 1 / sqrt(500) = 4.5 %.
TEST(ClassFrequenciesTest, EstimatesWithoutBiasInBoundedMemory) {
  constexpr std::uint64_t kClasses = 100'000;
  ClassFrequencies frequencies(1'000);
  for (std::uint64_t i = 0; i < kClasses; ++i) frequencies.Add(i);
  for (std::uint64_t i = 0; i < kClasses; i += 3) frequencies.Add(i);
  for (std::uint64_t i = 0; i < kClasses; i += 6) frequencies.Add(i);

  const FrequencyCounts counts = frequencies.Counts();

  EXPECT_FALSE(counts.exact);
  EXPECT_NEAR(counts.classes, kClasses, kClasses * 0.2);
  EXPECT_NEAR(counts.once, kClasses * 2.0 / 3, kClasses * 0.2);
  EXPECT_NEAR(counts.twice, kClasses / 6.0, kClasses * 0.1);
}

}  // namespace
}  // namespace heddle
