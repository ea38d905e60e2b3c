#include "strategy/profile.h"

#include <gtest/gtest.h>

#include "simulate/machine.h"
#include "simulate/paper_programs.h"
#include "strategy/nonpreemptive.h"
#include "strategy/profiled_search.h"
#include "strategy/registry.h"
#include "strategy/thread_weights.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

using simulate::Const;
using simulate::Machine;
using simulate::Program;
using simulate::Write;

// main: 2 writes to x, creates a child; the child: 1 write to x, 1 to y, creates a grandchild with
// 3 writes to y.
Program Generations() {
  Program program;
  program.Thread({Write(0, Const(1)), Write(0, Const(2)), simulate::Create(1)});
  program.Thread({Write(0, Const(3)), Write(1, Const(1)), simulate::Create(2)});
  program.Thread({Write(1, Const(2)), Write(1, Const(3)), Write(1, Const(4))});
  return program;
}

Profile ProfileOf(const Program& program, int runs) {
  Machine machine(program);
  NonPreemptivePolicy policy;
  Profile profile;
  for (int i = 0; i < runs; ++i) {
    machine.Run(Plan(), policy);
    profile.Add(machine.Trace());
  }
  return profile;
}

constexpr std::uint64_t kChild = ChildPathHash(kMainPathHash, 1);
constexpr std::uint64_t kGrandchild = ChildPathHash(kChild, 1);

TEST(ProfileTest, CountsTheOperationsOfEachThreadAndObject) {
  const Profile profile = ProfileOf(Generations(), 1);

  EXPECT_EQ(profile.most_events, 7u) << "create is no scheduling point";
  EXPECT_EQ(profile.threads.at(kMainPathHash).points, 2u);
  EXPECT_EQ(profile.threads.at(kChild).points, 2u);
  EXPECT_EQ(profile.threads.at(kChild).parent, kMainPathHash);
  EXPECT_EQ(profile.threads.at(kGrandchild).points, 3u);
  ASSERT_EQ(profile.objects.size(), 2u);
  EXPECT_EQ(profile.objects.at(Mix(0)).accesses.at(kMainPathHash), 2u);
  EXPECT_EQ(profile.objects.at(Mix(0)).writes, 3u);
  EXPECT_EQ(profile.objects.at(Mix(1)).accesses.at(kGrandchild), 3u);
}

TEST(ProfileTest, SurvivesBeingWrittenAndRead) {
  const Profile profile = ProfileOf(Generations(), 3);
  StateWriter writer;
  profile.Write(writer);
  const std::string text = writer.Take();

  StateReader reader(text);
  const Profile again = Profile::Read(reader);
  StateWriter second;
  again.Write(second);

  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(second.Take(), text);
}

TEST(ProfileTest, WeightsHoldTheDescendantsUntilTheyAreCreated) {
  const Profile profile = ProfileOf(Generations(), 2);
  const std::vector<PathWeight> rows =
      WeightsOf(profile, [&](std::uint64_t path) { return profile.threads.at(path).points; });
  ThreadWeights weights;
  weights.Begin(rows);

  EXPECT_EQ(weights.Left(0), 7u) << "an average over the runs, not a sum";
  weights.Executed(0);
  weights.Executed(0);
  EXPECT_EQ(weights.Created(0, 2), 1);
  EXPECT_EQ(weights.Left(0), 0u);
  EXPECT_EQ(weights.Left(1), 5u);
  EXPECT_EQ(weights.Created(1, 3), 2);
  EXPECT_EQ(weights.Left(1), 2u);
  EXPECT_EQ(weights.Left(2), 3u);
  weights.Executed(0);
  EXPECT_EQ(weights.Left(0), 0u) << "more than the profile knew";
}

TEST(ProfileTest, AThreadThatTheProfileDoesNotKnowHasNothingLeft) {
  ThreadWeights weights;
  weights.Begin({});

  weights.Know(3);

  EXPECT_EQ(weights.Left(2), 0u);
}

// Four profile runs first, in any order of learning; then every run is the same function of its
// number, whatever that order was.
TEST(ProfileTest, TheProfileDoesNotDependOnTheOrderOfLearning) {
  const Program program = simulate::Figure2();
  Machine machine(program);
  const StrategyInfo& surw = *FindStrategy("surw");
  std::vector<Plan> first_plans;
  for (const bool backwards : {false, true}) {
    const std::unique_ptr<Search> search = surw.make_search({.seed = 11});
    std::vector<Plan> plans;
    while (std::optional<Plan> plan = search->Next()) plans.push_back(*plan);
    ASSERT_EQ(plans.size(), ProfiledSearch::kProfileRuns);
    EXPECT_FALSE(search->Independent());
    if (backwards) std::reverse(plans.begin(), plans.end());
    for (const Plan& plan : plans) {
      EXPECT_FALSE(search->Next().has_value()) << "nothing until the profile is done";
      const std::unique_ptr<Policy> policy = FindStrategy(plan.policy)->make_policy();
      machine.Run(plan, *policy);
      search->Learn(plan, machine.Trace());
    }
    EXPECT_TRUE(search->Independent());
    first_plans.push_back(*search->Next());
  }

  EXPECT_EQ(first_plans[0].run, ProfiledSearch::kProfileRuns + 1);
  EXPECT_EQ(first_plans[0].data, first_plans[1].data);
  EXPECT_FALSE(first_plans[0].data.empty());
}

}  // namespace
}  // namespace heddle
