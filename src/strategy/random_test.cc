#include "strategy/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace heddle {
namespace {

std::array<Option, 4> FourThreads() {
  return {Option{.thread = 0}, Option{.thread = 1}, Option{.thread = 2}, Option{.thread = 3}};
}

TEST(RandomTest, TheSamePlanGivesTheSameChoices) {
  const auto options = FourThreads();
  Plan plan;
  plan.run = 12;
  plan.seed = 5;
  RandomPolicy first, second;
  first.Begin(plan);
  second.Begin(plan);

  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(first.Choose({.options = options}), second.Choose({.options = options}));
  }
}

// 40,000 draws over 4 options: each count is binomial(40000, 1/4), sd 86.6; five of them are 433.
TEST(RandomTest, EveryOptionIsEquallyLikelyOverRuns) {
  const auto options = FourThreads();
  RandomPolicy policy;
  std::array<int, 4> counts = {};

  for (int run = 1; run <= 40'000; ++run) {
    Plan plan;
    plan.run = static_cast<std::uint64_t>(run);
    policy.Begin(plan);
    ++counts[policy.Choose({.options = options})];
  }

  for (const int count : counts) EXPECT_LT(std::abs(count - 10'000), 433);
}

TEST(RandomTest, RunsAreNumberedFromOneAndIndependent) {
  const std::unique_ptr<Search> search = MakeRandomSearch({.seed = 9});

  EXPECT_TRUE(search->Independent());
  for (std::uint64_t run = 1; run <= 3; ++run) {
    const std::optional<Plan> plan = search->Next();
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->run, run);
    EXPECT_EQ(plan->seed, 9u);
    EXPECT_EQ(plan->policy, "random");
    EXPECT_TRUE(plan->prefix.empty());
  }
}

}  // namespace
}  // namespace heddle
