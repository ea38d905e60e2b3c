#include "explore/class_counter.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(ClassCounterTest, CountsExactlyUpToItsLimit) {
  ClassCounter counter(1000);
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t hash = 0; hash < 1000; ++hash) counter.Add(hash);
  }

  EXPECT_EQ(counter.Count(), 1000u);
  EXPECT_TRUE(counter.IsExact());
}

// The standard error is 0.8 %; 4 % is five of them.
TEST(ClassCounterTest, EstimatesBeyondItsLimitWithinAFewPercent) {
  for (const std::uint64_t classes : {2'000u, 50'000u, 1'000'000u}) {
    ClassCounter counter(1000);
    for (std::uint64_t hash = 0; hash < classes; ++hash) counter.Add(hash * 2654435761u);

    EXPECT_FALSE(counter.IsExact());
    EXPECT_NEAR(static_cast<double>(counter.Count()), static_cast<double>(classes),
                0.04 * static_cast<double>(classes));
  }
}

}  // namespace
}  // namespace heddle
