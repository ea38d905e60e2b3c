#include "simulate/machine.h"

#include <gtest/gtest.h>

#include <map>

#include "simulate/enumerate.h"
#include "simulate/generate.h"
#include "strategy/nonpreemptive.h"
#include "strategy/random.h"

namespace heddle::simulate {
namespace {

constexpr int kProgramsPerFamily = 350;

Plan PlanOf(std::vector<Answer> prefix) {
  Plan plan;
  plan.run = 1;
  plan.prefix = std::move(prefix);
  return plan;
}

TEST(MachineTest, AgreesWithTheInterpreterOnEveryInterleavingOfRandomPrograms) {
  for (const Family& family : AllFamilies()) {
    Rng rng(HashText(family.name));
    for (int i = 0; i < kProgramsPerFamily; ++i) {
      const Program program = family.make(rng);
      Machine machine(program);
      NonPreemptivePolicy policy;
      ForEachInterleaving(program, {}, [&](const Interleaving& expected) {
        const RunRecord& run = machine.Run(PlanOf(expected.answers), policy);
        ASSERT_EQ(run.decisions, expected.answers.size());
        ASSERT_EQ(run.events, expected.events.size());
        ASSERT_EQ(run.outcome, expected.failed || expected.deadlocked ? RunOutcome::kFailed
                                                                      : RunOutcome::kExited);
        ASSERT_EQ(run.failure == FailureKind::kAssertion, expected.failed);
        ASSERT_EQ(run.failure == FailureKind::kDeadlock, expected.deadlocked);
        for (std::size_t e = 0; e < expected.events.size(); ++e) {
          ASSERT_EQ(machine.Trace().events[e].kind, expected.events[e].kind);
        }
      });
      if (HasFatalFailure()) FAIL() << family.name << " program " << i;
    }
  }
}

// The class hash is a name for the partial order: equal exactly when the orders are equal.
TEST(MachineTest, ClassHashesAreTheCanonicalPartialOrdersOfRandomPrograms) {
  std::size_t classes = 0;
  for (const Family& family : AllFamilies()) {
    Rng rng(HashText(family.name) + 1);
    for (int i = 0; i < kProgramsPerFamily; ++i) {
      const Program program = family.make(rng);
      Machine machine(program, {.stop_at_failure = false});
      NonPreemptivePolicy policy;
      std::map<std::string, std::uint64_t> hash_of;
      std::map<std::uint64_t, std::string> order_of;
      ForEachInterleaving(program, {.stop_at_failure = false}, [&](const Interleaving& expected) {
        const std::uint64_t hash = machine.Run(PlanOf(expected.answers), policy).class_hash;
        const std::string order = CanonicalOrder(expected.events);
        ASSERT_EQ(hash_of.emplace(order, hash).first->second, hash) << order;
        ASSERT_EQ(order_of.emplace(hash, order).first->second, order);
      });
      if (HasFatalFailure()) FAIL() << family.name << " program " << i;
      classes += hash_of.size();
    }
  }
  EXPECT_GT(classes, 10'000u) << "the programs are too easy";
}

TEST(MachineTest, EqualEventHashesMeanTheSameInterleaving) {
  Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    const Program program = Families()[0].make(rng);
    Machine machine(program);
    NonPreemptivePolicy policy;
    std::map<std::uint64_t, std::vector<EventName>> seen;
    ForEachInterleaving(program, {}, [&](const Interleaving& expected) {
      const std::uint64_t hash = machine.Run(PlanOf(expected.answers), policy).event_hash;
      ASSERT_TRUE(seen.emplace(hash, expected.events).second);
    });
  }
}

TEST(MachineTest, APrefixThatDoesNotFitIsADivergence) {
  Program program;
  program.Thread({Write(0, Const(1))});
  program.Thread({Write(0, Const(2))});
  Machine machine(program);
  RandomPolicy policy;

  const RunRecord wrong_options = machine.Run(PlanOf({{0, 3}}), policy);
  EXPECT_EQ(wrong_options.outcome, RunOutcome::kDiverged);
  EXPECT_EQ(wrong_options.diverged_at, 0u);

  const RunRecord too_long = machine.Run(PlanOf({{0, 2}, {0, 2}}), policy);
  EXPECT_EQ(too_long.outcome, RunOutcome::kDiverged);
  EXPECT_EQ(too_long.diverged_at, 1u);
}

TEST(MachineTest, AnEndlessLoopEndsAtTheStepLimit) {
  Program program;
  program.Thread({Read(0).Unless(Is::kEqual, 1, -1)});
  Machine machine(program, {.max_steps = 1000});
  RandomPolicy policy;

  const RunRecord& run = machine.Run(PlanOf({}), policy);

  EXPECT_EQ(run.outcome, RunOutcome::kStepLimit);
  EXPECT_EQ(run.events, 1000u);
}

TEST(MachineTest, PreemptionsAreSwitchesAwayFromAThreadThatCouldGoOn) {
  Program program;
  program.Thread({Write(0, Const(1)), Write(0, Const(2))});
  program.Thread({Write(0, Const(3)), Write(0, Const(4))});
  Machine machine(program);
  NonPreemptivePolicy policy;

  EXPECT_EQ(machine.Run(PlanOf({}), policy).preemptions, 0u);
  // 0 1 0 1: away from 0, away from 1, and the last step is forced.
  EXPECT_EQ(machine.Run(PlanOf({{0, 2}, {1, 2}, {0, 2}}), policy).preemptions, 2u);
}

}  // namespace
}  // namespace heddle::simulate
