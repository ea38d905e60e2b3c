// Searches of the registry against the enumerator: what they explore, and how often.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "simulate/enumerate.h"
#include "simulate/generate.h"
#include "simulate/machine.h"
#include "strategy/dfs.h"
#include "strategy/nonpreemptive.h"
#include "strategy/optimal_dpor.h"
#include "strategy/random.h"
#include "strategy/road.h"

namespace heddle::simulate {
namespace {

using Answers = std::vector<std::pair<std::uint16_t, std::uint16_t>>;

template <typename List>
Answers Listed(const List& list) {
  Answers answers;
  for (const auto& item : list) answers.emplace_back(item.chosen, item.options);
  return answers;
}

// Seven families of 350 programs: 2,450 programs.
TEST(SearchTest, DfsExploresExactlyTheInterleavingsOfTheBruteForceEnumeration) {
  std::size_t total = 0;
  for (const Family& family : Families()) {
    Rng rng(HashText(family.name) + 2);
    for (int i = 0; i < 350; ++i) {
      const Program program = family.make(rng);
      std::multiset<Answers> expected;
      const auto insert = [&](const Interleaving& interleaving) {
        expected.insert(Listed(interleaving.answers));
      };
      ForEachInterleaving(program, {.stop_at_failure = false}, insert);

      DfsSearch search({});
      Machine machine(program, {.stop_at_failure = false});
      NonPreemptivePolicy policy;
      std::multiset<Answers> explored;
      while (const std::optional<Plan> plan = search.Next()) {
        machine.Run(*plan, policy);
        explored.insert(Listed(machine.Trace().decisions));
        search.Learn(*plan, machine.Trace());
      }

      ASSERT_EQ(explored, expected) << family.name << " program " << i;
      ASSERT_TRUE(search.Complete());
      total += explored.size();
    }
  }
  EXPECT_GT(total, 50'000u) << "the programs are too easy";
}

// 49 programs; per program 20,000 runs. A class of probability p is seen 20000 p times, with
// standard deviation sqrt(20000 p (1 - p)); five of them (plus one for rounding) is exceeded with
// probability below 1e-6 per class, and there are fewer than 4,000 classes.
TEST(SearchTest, RandomWalkMeetsEveryClassAsOftenAsItsExactProbabilitySays) {
  constexpr int kRuns = 20'000;
  for (const Family& family : Families()) {
    Rng rng(HashText(family.name) + 3);
    for (int i = 0; i < 7; ++i) {
      const Program program = family.make(rng);
      Machine machine(program, {.stop_at_failure = false, .keep_records = false});
      RandomPolicy policy;
      std::map<std::uint64_t, double> probability;
      ForEachInterleaving(program, {.stop_at_failure = false}, [&](const Interleaving& run) {
        Plan plan;
        plan.prefix = run.answers;
        probability[machine.Run(plan, policy).class_hash] += run.probability;
      });

      std::map<std::uint64_t, int> seen;
      const std::unique_ptr<Search> search = MakeRandomSearch({.seed = 7});
      for (int r = 0; r < kRuns; ++r) ++seen[machine.Run(*search->Next(), policy).class_hash];

      for (const auto& [hash, count] : seen) {
        ASSERT_TRUE(probability.contains(hash)) << "a class that does not exist";
      }
      for (const auto& [hash, p] : probability) {
        const double expected = kRuns * p;
        const double deviation = std::sqrt(expected * (1 - p));
        EXPECT_NEAR(seen[hash], expected, 5 * deviation + 1) << family.name << " program " << i;
      }
    }
  }
}

// Each choice among 16 clock reads before the time-out is a class: 65,536 runs to make, which one
// run shows.
TEST(SearchTest, OptimalDporKeepsNoWorkWithoutBoundWhereManyThreadsReadTheClock) {
  constexpr Object kCondition = 0, kMutex = 1, kClock = 2;
  constexpr int kReaders = 16;
  Program program;
  program.Thread({Lock(kMutex), TimedWait(kCondition, kMutex).Until(kClock, 1), Unlock(kMutex)});
  program.Thread({Signal(kCondition)});
  for (int i = 0; i < kReaders; ++i) program.Thread({ReadTime(kClock)});
  OptimalDporSearch search({});
  Machine machine(program, {.stop_at_failure = false});
  const std::unique_ptr<Policy> policy = MakeRoadPolicy();

  for (int run = 0; run < 3; ++run) {
    const std::optional<Plan> plan = search.Next();
    ASSERT_TRUE(plan.has_value());
    machine.Run(*plan, *policy);
    search.Learn(*plan, machine.Trace());
  }

  EXPECT_LT(search.frontier(), 10'000u);
  EXPECT_GT(search.lost_runs(), 0u) << "it may not call itself complete";
}

}  // namespace
}  // namespace heddle::simulate
