#include "strategy/nonpreemptive.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

Decision ThreadDecision(std::span<const Option> options, ThreadId current) {
  return {.kind = DecisionKind::kThread, .options = options, .current = current};
}

TEST(NonPreemptiveTest, GoesOnWithTheCurrentThread) {
  const std::vector<Option> options = {{.thread = 0}, {.thread = 2}, {.thread = 5}};
  NonPreemptivePolicy policy;
  policy.Begin(Plan());

  EXPECT_EQ(policy.Choose(ThreadDecision(options, 2)), 1u);
  EXPECT_EQ(policy.Choose(ThreadDecision(options, 5)), 2u);
}

TEST(NonPreemptiveTest, TakesTheLowestThreadWhenTheCurrentOneCannotGoOn) {
  const std::vector<Option> options = {
      {.thread = 1, .outcome = Outcome::kTimeout}, {.thread = 2}, {.thread = 5}};
  NonPreemptivePolicy policy;
  policy.Begin(Plan());

  EXPECT_EQ(policy.Choose(ThreadDecision(options, 3)), 1u) << "a time-out is the last resort";
}

TEST(NonPreemptiveTest, FiresATimeoutWhenNothingElseIsLeft) {
  const std::vector<Option> options = {{.thread = 1, .outcome = Outcome::kTimeout},
                                       {.thread = 2, .outcome = Outcome::kTimeout}};
  NonPreemptivePolicy policy;
  policy.Begin(Plan());

  EXPECT_EQ(policy.Choose(ThreadDecision(options, 3)), 0u);
}

TEST(NonPreemptiveTest, AYieldGivesTheTurnToTheNextThreadInACircle) {
  const std::vector<Option> options = {{.thread = 0}, {.thread = 1}, {.thread = 2}};
  std::vector<PendingOp> pending(3);
  pending[1].kind = OpKind::kYield;
  pending[2].kind = OpKind::kYield;
  const RunView view{.pending = pending, .live = {}, .enabled = {}};
  NonPreemptivePolicy policy;
  policy.Begin(Plan());

  Decision at_one = ThreadDecision(options, 1);
  at_one.view = &view;
  Decision at_two = ThreadDecision(options, 2);
  at_two.view = &view;

  EXPECT_EQ(policy.Choose(at_one), 2u);
  EXPECT_EQ(policy.Choose(at_two), 0u);
}

TEST(NonPreemptiveTest, TimePassesForASleeperWhileTheOthersYield) {
  const std::vector<Option> options = {{.thread = 0}, {.thread = 1, .outcome = Outcome::kTimeout}};
  std::vector<PendingOp> pending(2);
  pending[0].kind = OpKind::kYield;
  pending[1].kind = OpKind::kSleep;
  const RunView view{.pending = pending, .live = {}, .enabled = {}};
  NonPreemptivePolicy policy;
  policy.Begin(Plan());
  Decision decision = ThreadDecision(options, 0);
  decision.view = &view;

  EXPECT_EQ(policy.Choose(decision), 0u) << "not at once";
  std::size_t chosen = 0;
  for (int i = 0; i < 1000 && chosen == 0; ++i) chosen = policy.Choose(decision);

  EXPECT_EQ(chosen, 1u);
}

TEST(NonPreemptiveTest, SleepersWakeInACircle) {
  const std::vector<Option> options = {{.thread = 0, .outcome = Outcome::kTimeout},
                                       {.thread = 1, .outcome = Outcome::kTimeout}};
  std::vector<PendingOp> pending(2);
  pending[0].kind = OpKind::kSleep;
  pending[1].kind = OpKind::kSleep;
  const RunView view{.pending = pending, .live = {}, .enabled = {}};
  NonPreemptivePolicy policy;
  policy.Begin(Plan());
  Decision at_zero = ThreadDecision(options, 0);
  at_zero.view = &view;
  Decision at_one = ThreadDecision(options, 1);
  at_one.view = &view;

  EXPECT_EQ(policy.Choose(at_zero), 1u);
  EXPECT_EQ(policy.Choose(at_one), 0u);
}

TEST(NonPreemptiveTest, TheClockSaysWhoWakesFirst) {
  const Option options[] = {{.thread = 1, .outcome = Outcome::kTimeout},
                            {.thread = 2, .outcome = Outcome::kTimeout}};
  const PendingOp pending[3] = {};
  const RunView view{.pending = pending, .live = {}, .enabled = {}, .first_due = 2};
  NonPreemptivePolicy policy;
  const Decision decision = {.options = options, .current = 2, .view = &view};
  EXPECT_EQ(policy.Choose(decision), 1u);

  std::size_t chosen = 1;
  for (int i = 0; i < 100 && chosen == 1; ++i) chosen = policy.Choose(decision);
  EXPECT_EQ(chosen, 0u) << "one that naps for ever must not keep the others asleep";
}

TEST(NonPreemptiveTest, WakesTheFirstWaiter) {
  const std::vector<Option> options = {{.thread = 3}, {.thread = 4}};
  NonPreemptivePolicy policy;
  policy.Begin(Plan());

  EXPECT_EQ(policy.Choose({.kind = DecisionKind::kWaiter, .options = options, .current = 4}), 0u);
}

TEST(NonPreemptiveTest, TheSearchIsOneRun) {
  const std::unique_ptr<Search> search = MakeNonPreemptiveSearch({.seed = 7});

  const std::optional<Plan> plan = search->Next();

  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->policy, "nonpreemptive");
  EXPECT_FALSE(search->Next().has_value());
  EXPECT_FALSE(search->Complete()) << "one run proves nothing";
}

}  // namespace
}  // namespace heddle
