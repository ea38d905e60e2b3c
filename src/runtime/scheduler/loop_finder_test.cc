#include "runtime/scheduler/loop_finder.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::uint64_t kInner = 0x100, kOuter = 0x200;

TEST(LoopFinderTest, AJumpThatIsTakenAgainWithTheSameStateIsALoop) {
  LoopFinder finder;

  int jumps = 1;
  while (!finder.Took(kInner, 7)) ++jumps;

  EXPECT_EQ(finder.found(), kInner);
  EXPECT_LE(jumps, 4);
}

TEST(LoopFinderTest, ALoopThatCountsIsNone) {
  LoopFinder finder;

  for (std::uint64_t count = 0; count < 100'000; ++count) {
    ASSERT_FALSE(finder.Took(kInner, count));
  }
}

// A back-off that grows until it has its greatest length: from then on each round is like the last.
TEST(LoopFinderTest, OfLoopsInEachOtherTheOutermostIsFound) {
  LoopFinder finder;

  bool is_found = false;
  for (std::uint64_t pauses = 1; !is_found; pauses = pauses < 64 ? 2 * pauses : pauses) {
    for (std::uint64_t i = 1; i < pauses && !is_found; ++i) is_found = finder.Took(kInner, i);
    if (!is_found) is_found = finder.Took(kOuter, pauses);
  }

  EXPECT_EQ(finder.found(), kOuter);
}

TEST(LoopFinderTest, WhatOnlyLooksTheSameNowAndThenIsSeenToGoOn) {
  LoopFinder finder;

  // The same jump with the same state, but another one between: the cycle is of both.
  bool is_found = false;
  for (int i = 0; i < 100 && !is_found; ++i) {
    is_found = finder.Took(i % 2 == 0 ? kInner : kOuter, i % 2 == 0 ? 1 : 2);
  }

  EXPECT_TRUE(is_found);
  EXPECT_EQ(finder.found(), kInner);  // both as often: the lower one
}

}  // namespace
}  // namespace heddle
