#include "strategy/bounded.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/hash.h"

namespace heddle {
namespace {

constexpr ThreadId kStays = 0;

struct TreeRun {
  std::vector<DecisionRecord> decisions;
  std::string name;
  std::uint32_t cost = 0;

  RunTrace Trace() const {
    RunTrace trace;
    trace.record.outcome = RunOutcome::kExited;
    trace.record.decisions = decisions.size();
    trace.decisions = decisions;
    return trace;
  }
};

// A program reduced to its decisions: thread 0 would always go on, so that each other answer is a
// preemption; the number of options is a hash of the depth and of what was not thread 0, so that
// there are long stretches of equal decisions. Some decisions are no question of threads: they
// cost nothing.
struct Tree {
  std::uint64_t seed = 1;
  std::size_t depth = 0;
  bool even = false;  // two options everywhere

  DecisionRecord After(std::size_t answers, std::uint64_t hash) const {
    DecisionRecord decision;
    decision.options =
        even ? 2 : static_cast<std::uint16_t>(2 + Mix(Mix(seed, answers / 3), hash) % 2);
    const bool is_thread = even || Mix(Mix(seed + 1, answers / 2), hash) % 4 != 0;
    decision.kind = is_thread ? DecisionKind::kThread : DecisionKind::kOutcome;
    decision.thread = kStays;
    decision.current = kStays;
    decision.current_enabled = true;
    decision.among = (std::uint64_t{1} << decision.options) - 1;
    return decision;
  }
  static std::uint32_t CostOf(const DecisionRecord& decision, Cost cost) {
    if (decision.kind != DecisionKind::kThread || decision.chosen == 0) return 0;
    return cost == Cost::kPreemptions ? 1 : decision.chosen;
  }
  static std::uint64_t Hashed(std::uint64_t hash, std::uint16_t chosen) {
    return chosen == 0 ? hash : Mix(hash, chosen);
  }
};

TreeRun RunPlan(const Tree& tree, const std::vector<Answer>& prefix, Cost cost) {
  TreeRun run;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < tree.depth; ++i) {
    DecisionRecord decision = tree.After(i, hash);
    if (i < prefix.size()) decision.chosen = prefix[i].chosen;
    decision.thread = static_cast<ThreadId>(decision.chosen);
    run.cost += Tree::CostOf(decision, cost);
    hash = Tree::Hashed(hash, decision.chosen);
    run.decisions.push_back(decision);
    run.name += static_cast<char>('a' + decision.chosen);
  }
  return run;
}

void Enumerate(const Tree& tree, Cost cost, std::uint32_t left, std::uint64_t hash,
               std::string name, std::multiset<std::string>* all) {
  if (name.size() == tree.depth) {
    all->insert(name);
    return;
  }
  DecisionRecord decision = tree.After(name.size(), hash);
  for (std::uint16_t chosen = 0; chosen < decision.options; ++chosen) {
    decision.chosen = chosen;
    const std::uint32_t price = Tree::CostOf(decision, cost);
    if (price > left) continue;
    Enumerate(tree, cost, left - price, Tree::Hashed(hash, chosen),
              name + static_cast<char>('a' + chosen), all);
  }
}

BoundedSearch Make(Cost cost, const std::string& bound) {
  return BoundedSearch({.params = {{"bound", bound}}}, cost);
}

TEST(BoundedTest, RunsEverythingWithinTheBoundOnceAndCheapestFirstThoughSavedInBetween) {
  for (const Cost cost : {Cost::kPreemptions, Cost::kDelays}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Tree tree{.seed = seed, .depth = 9};
      std::multiset<std::string> expected;
      Enumerate(tree, cost, 2, 0, "", &expected);

      BoundedSearch search = Make(cost, "2");
      std::multiset<std::string> made;
      std::uint32_t dearest = 0;
      while (const std::optional<Plan> plan = search.Next()) {
        const TreeRun run = RunPlan(tree, plan->prefix, cost);
        EXPECT_GE(run.cost, dearest);
        dearest = run.cost;
        made.insert(run.name);
        search.Learn(*plan, run.Trace());
        if (made.size() % 7 == 0) {
          ASSERT_TRUE(search.Load(search.Save()).ok());
        }
      }

      EXPECT_EQ(made, expected) << "seed " << seed;
      EXPECT_EQ(search.kept_stretches(), 0U);
    }
  }
}

TEST(BoundedTest, WorkThatWasOutWhenTheSearchWasSavedIsGivenOutAgain) {
  const Tree tree{.seed = 3, .depth = 8};
  BoundedSearch search = Make(Cost::kPreemptions, "1");
  std::multiset<std::string> expected;
  Enumerate(tree, Cost::kPreemptions, 1, 0, "", &expected);
  std::multiset<std::string> made;

  const auto run_all = [&](std::size_t lost_at) {
    while (const std::optional<Plan> plan = search.Next()) {
      if (made.size() == lost_at) return;
      const TreeRun run = RunPlan(tree, plan->prefix, Cost::kPreemptions);
      made.insert(run.name);
      search.Learn(*plan, run.Trace());
    }
  };
  run_all(4);
  ASSERT_TRUE(search.Load(search.Save()).ok());
  run_all(expected.size());

  EXPECT_EQ(made, expected);
}

// 200 runs of 20,000 decisions leave four million runs to make. One by one, with a path to each,
// they took 16 GB; a run is kept as a few stretches.
TEST(BoundedTest, MemoryDoesNotGrowWithTheLengthOfTheRuns) {
  const Tree tree{.depth = 20'000, .even = true};
  BoundedSearch search = Make(Cost::kPreemptions, "2");
  constexpr std::size_t kRuns = 200;

  for (std::size_t i = 0; i < kRuns; ++i) {
    const std::optional<Plan> plan = search.Next();
    ASSERT_TRUE(plan);
    search.Learn(*plan, RunPlan(tree, plan->prefix, Cost::kPreemptions).Trace());
  }

  EXPECT_LE(search.kept_stretches(), 3 * kRuns);
  EXPECT_LE(search.Save().size(), 100 * kRuns);
}

}  // namespace
}  // namespace heddle
