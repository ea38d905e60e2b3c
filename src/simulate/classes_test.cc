#include "simulate/classes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "simulate/enumerate.h"
#include "simulate/generate.h"
#include "simulate/machine.h"
#include "simulate/paper_programs.h"
#include "strategy/nonpreemptive.h"

namespace heddle::simulate {
namespace {

TEST(ClassesTest, MergingPrefixesGivesWhatVisitingEveryInterleavingGives) {
  for (const Family& family : Families()) {
    Rng rng(HashText(family.name) + 6);
    for (int i = 0; i < 100; ++i) {
      const Program program = family.make(rng);
      Machine machine(program, {.stop_at_failure = false});
      NonPreemptivePolicy policy;
      std::map<std::uint64_t, ExactClass> expected;
      ForEachInterleaving(program, {.stop_at_failure = false}, [&](const Interleaving& run) {
        Plan plan;
        plan.prefix = run.answers;
        const RunRecord& record = machine.Run(plan, policy);
        const auto [found, is_new] = expected.emplace(record.class_hash, ExactClass());
        ExactClass& exact = found->second;
        const auto preemptions = static_cast<int>(record.preemptions);
        exact.preemptions = is_new ? preemptions : std::min(exact.preemptions, preemptions);
        exact.random_walk += run.probability;
        exact.interleavings += 1;
        exact.failed = run.failed;
        exact.deadlocked = run.deadlocked;
      });

      const std::vector<ExactClass> classes = ExactClasses(program);

      ASSERT_EQ(classes.size(), expected.size()) << family.name << " program " << i;
      for (const ExactClass& exact : classes) {
        ASSERT_TRUE(expected.contains(exact.hash));
        const ExactClass& other = expected.at(exact.hash);
        EXPECT_NEAR(exact.random_walk, other.random_walk, 1e-12);
        EXPECT_EQ(exact.interleavings, other.interleavings);
        EXPECT_EQ(exact.preemptions, other.preemptions) << family.name << " program " << i;
        EXPECT_EQ(exact.failed, other.failed);
        EXPECT_EQ(exact.deadlocked, other.deadlocked);
      }
    }
  }
}

TEST(ClassesTest, TheRunningExampleHasTwelvePartialOrdersAndFailsInOne) {
  const std::vector<ExactClass> classes = ExactClasses(Figure2());

  ASSERT_EQ(classes.size(), 12u);
  int failing = 0;
  double total = 0;
  for (const ExactClass& exact : classes) {
    total += exact.random_walk;
    if (!exact.failed) continue;
    ++failing;
    EXPECT_DOUBLE_EQ(exact.random_walk, 1.0 / 128);
    EXPECT_EQ(exact.interleavings, 1);
    EXPECT_EQ(exact.preemptions, 3) << "before B2, before A2, and to B4 which A3 has unblocked";
  }
  EXPECT_EQ(failing, 1);
  EXPECT_DOUBLE_EQ(total, 1);
}

// 16! / (4!)^4 interleavings.
TEST(ClassesTest, SixtyThreeMillionInterleavingsAreCounted) {
  const int accesses[] = {4, 4, 4, 4};
  Rng rng(1);
  double interleavings = 0;
  for (const ExactClass& exact : ExactClasses(MicroProgram({.accesses = accesses}, rng))) {
    interleavings += exact.interleavings;
  }
  EXPECT_EQ(interleavings, 63'063'000);
}

}  // namespace
}  // namespace heddle::simulate
