#include "cli/common.h"

#include <gtest/gtest.h>

#include "cli/progress.h"

namespace heddle {
namespace {

TEST(CommonTest, DurationsHaveUnitsOrAreSeconds) {
  EXPECT_EQ(*ParseDuration("90"), 90);
  EXPECT_EQ(*ParseDuration("90s"), 90);
  EXPECT_EQ(*ParseDuration("1.5m"), 90);
  EXPECT_EQ(*ParseDuration("2h"), 7200);
  EXPECT_EQ(*ParseDuration("500ms"), 0.5);
  for (const char* bad : {"", "s", "-1", "10x", "1 s", "nan", "inf"}) {
    EXPECT_FALSE(ParseDuration(bad).ok()) << bad;
  }
}

TEST(CommonTest, SizesHaveUnitsOrAreBytes) {
  EXPECT_EQ(*ParseSize("1048576"), 1u << 20);
  EXPECT_EQ(*ParseSize("512M"), 512ull << 20);
  EXPECT_EQ(*ParseSize("2G"), 2ull << 30);
  for (const char* bad : {"", "0", "-1M", "2X", "1e30"}) EXPECT_FALSE(ParseSize(bad).ok()) << bad;
}

TEST(CommonTest, NumbersAreGroupedAndNounsCounted) {
  EXPECT_EQ(WithCommas(7), "7");
  EXPECT_EQ(WithCommas(1234567), "1,234,567");
  EXPECT_EQ(Count(1, "run"), "1 run");
  EXPECT_EQ(Count(10000, "run"), "10,000 runs");
  EXPECT_EQ(Count(2, "class"), "2 classes");
}

TEST(CommonTest, ProgressIsOneLine) {
  const std::string line = RenderProgress({.runs = 1234,
                                           .events = 98765,
                                           .classes = 12,
                                           .findings = 0,
                                           .seconds = 1,
                                           .runs_per_second = 4321,
                                           .seconds_left = 80,
                                           .phase = "searching"});

  EXPECT_EQ(line, "1,234 runs, 4,321/s, 98,765 events, 12 classes, no finding, 1 min 20 s left");
}

}  // namespace
}  // namespace heddle
