#include "strategy/dfs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>

#include "base/hash.h"
#include "strategy/nonpreemptive.h"

namespace heddle {
namespace {

// A program reduced to its tree of decisions: how many options follow a list of answers is a hash
// of the list, so that the trees are uneven.
struct HashTree {
  std::uint64_t seed;
  std::size_t depth;

  // 0: the run is over.
  std::uint16_t OptionsAfter(const std::vector<std::uint16_t>& answers) const {
    std::uint64_t hash = Mix(seed);
    for (const std::uint16_t answer : answers) hash = Mix(hash, answer);
    if (answers.size() >= depth || (answers.size() > 2 && hash % 8 == 0)) return 0;
    return static_cast<std::uint16_t>(2 + hash / 8 % 3);
  }
};

struct TreeRun {
  std::vector<DecisionRecord> decisions;
  RunRecord record;

  RunTrace Trace() const {
    RunTrace trace;
    trace.record = record;
    trace.decisions = decisions;
    return trace;
  }
  std::string Name() const {
    std::string name;
    for (const DecisionRecord& d : decisions) name += static_cast<char>('a' + d.chosen);
    return name;
  }
};

TreeRun RunPlan(const HashTree& tree, const Plan& plan) {
  TreeRun run;
  std::vector<std::uint16_t> answers;
  while (const std::uint16_t options = tree.OptionsAfter(answers)) {
    // The tail's choice is arbitrary but fixed: here it depends on the depth.
    std::uint16_t chosen = static_cast<std::uint16_t>(answers.size() % options);
    if (answers.size() < plan.prefix.size()) chosen = plan.prefix[answers.size()].chosen;
    run.decisions.push_back({.options = options, .chosen = chosen});
    answers.push_back(chosen);
  }
  run.record.outcome = RunOutcome::kExited;
  run.record.decisions = run.decisions.size();
  return run;
}

void Enumerate(const HashTree& tree, std::vector<std::uint16_t>& answers,
               std::multiset<std::string>& leaves) {
  const std::uint16_t options = tree.OptionsAfter(answers);
  if (options == 0) {
    std::string name;
    for (const std::uint16_t answer : answers) name += static_cast<char>('a' + answer);
    leaves.insert(name);
    return;
  }
  for (std::uint16_t i = 0; i < options; ++i) {
    answers.push_back(i);
    Enumerate(tree, answers, leaves);
    answers.pop_back();
  }
}

std::multiset<std::string> AllLeaves(const HashTree& tree) {
  std::vector<std::uint16_t> answers;
  std::multiset<std::string> leaves;
  Enumerate(tree, answers, leaves);
  return leaves;
}

std::multiset<std::string> Search(DfsSearch& search, const HashTree& tree) {
  std::multiset<std::string> seen;
  while (const std::optional<Plan> plan = search.Next()) {
    const TreeRun run = RunPlan(tree, *plan);
    seen.insert(run.Name());
    search.Learn(*plan, run.Trace());
  }
  return seen;
}

TEST(DfsTest, MakesEveryRunExactlyOnce) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const HashTree tree{.seed = seed, .depth = 7};
    DfsSearch search({});

    EXPECT_EQ(Search(search, tree), AllLeaves(tree));
    EXPECT_TRUE(search.Complete());
    EXPECT_EQ(search.kept_answers(), 0u);
  }
}

TEST(DfsTest, MemoryIsProportionalToTheDepthOfOneRun) {
  const HashTree tree{.seed = 3, .depth = 9};
  DfsSearch search({});
  std::size_t most_answers = 0, most_branches = 0;

  while (const std::optional<Plan> plan = search.Next()) {
    const TreeRun run = RunPlan(tree, *plan);
    search.Learn(*plan, run.Trace());
    most_answers = std::max(most_answers, search.kept_answers());
    most_branches = std::max(most_branches, search.frontier());
  }

  EXPECT_LE(most_answers, tree.depth);
  EXPECT_LE(most_branches, tree.depth);
}

TEST(DfsTest, SeveralWorkersMakeTheSameRuns) {
  const HashTree tree{.seed = 11, .depth = 7};
  DfsSearch search({});
  std::multiset<std::string> seen;
  std::deque<Plan> out;
  std::uint64_t turn = 0;

  // Up to five plans are out at a time, learnt in a scrambled order.
  while (true) {
    while (out.size() < 5) {
      std::optional<Plan> plan = search.Next();
      if (!plan) break;
      out.push_back(std::move(*plan));
    }
    if (out.empty()) break;
    EXPECT_FALSE(search.Complete());
    const std::size_t pick = Mix(++turn) % out.size();
    const Plan plan = out[pick];
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(pick));
    const TreeRun run = RunPlan(tree, plan);
    seen.insert(run.Name());
    search.Learn(plan, run.Trace());
  }

  EXPECT_EQ(seen, AllLeaves(tree));
  EXPECT_TRUE(search.Complete());
  EXPECT_EQ(search.kept_answers(), 0u);
}

TEST(DfsTest, ASavedSearchGoesOnWithTheSameRunsAndRepeatsThoseThatWereOut) {
  const HashTree tree{.seed = 21, .depth = 6};
  const std::multiset<std::string> all = AllLeaves(tree);
  for (std::size_t stop = 0; stop <= all.size(); stop += 7) {
    DfsSearch first({});
    std::multiset<std::string> seen;
    for (std::size_t i = 0; i < stop; ++i) {
      const std::optional<Plan> plan = first.Next();
      ASSERT_TRUE(plan.has_value());
      const TreeRun run = RunPlan(tree, *plan);
      seen.insert(run.Name());
      first.Learn(*plan, run.Trace());
    }
    (void)first.Next();  // out when the process ends
    (void)first.Next();

    DfsSearch second({});
    ASSERT_TRUE(second.Load(first.Save()).ok());
    EXPECT_EQ(second.Save(), first.Save());
    for (const std::string& name : Search(second, tree)) seen.insert(name);

    EXPECT_EQ(seen, all) << "stopped after " << stop;
    EXPECT_TRUE(second.Complete());
  }
}

TEST(DfsTest, ADamagedStateIsRefusedAndChangesNothing) {
  DfsSearch search({});
  (void)search.Next();
  const std::string state = search.Save();

  EXPECT_FALSE(search.Load("").ok());
  EXPECT_FALSE(search.Load("pct 1 0 0 0 0 0").ok());
  EXPECT_FALSE(search.Load(state + " 1").ok());
  EXPECT_FALSE(search.Load(state.substr(0, state.size() - 1)).ok());
  EXPECT_FALSE(search.Load("dfs 1 0 0 99999999999 0 0").ok());
  EXPECT_FALSE(search.Load("dfs 1 0 0 1 5 0 2 0 0").ok()) << "a parent that does not exist";
  EXPECT_FALSE(DfsSearch({.seed = 2}).Load(state).ok()) << "another seed";

  EXPECT_EQ(search.Save(), state);
}

TEST(DfsTest, ARestartForgetsEverythingAlsoThePlansThatAreOut) {
  const HashTree tree{.seed = 5, .depth = 5};
  DfsSearch search({});
  const std::optional<Plan> early = search.Next();
  search.Learn(*early, RunPlan(tree, *early).Trace());
  const std::optional<Plan> out = search.Next();

  search.Restart();
  Plan stale = *out;
  stale.run = 99;
  search.Learn(stale, RunPlan(tree, stale).Trace());

  EXPECT_EQ(Search(search, tree), AllLeaves(tree));
  EXPECT_TRUE(search.Complete());
}

TEST(DfsTest, ARunThatLeftItsPrefixNeverCountsAsExplored) {
  const HashTree tree{.seed = 8, .depth = 5};
  DfsSearch search({});
  std::uint64_t made = 0;

  while (const std::optional<Plan> plan = search.Next()) {
    TreeRun run = RunPlan(tree, *plan);
    if (++made == 3) run.decisions[0].chosen ^= 1;  // something uncontrolled happened
    search.Learn(*plan, run.Trace());
  }

  EXPECT_EQ(search.lost_runs(), 1u);
  EXPECT_FALSE(search.Complete());
}

TEST(DfsTest, RunsThatWereCutShortLeaveTheSearchIncomplete) {
  const HashTree tree{.seed = 8, .depth = 5};
  for (const RunOutcome outcome :
       {RunOutcome::kNone, RunOutcome::kStepLimit, RunOutcome::kDiverged}) {
    DfsSearch search({});
    std::uint64_t made = 0;
    while (const std::optional<Plan> plan = search.Next()) {
      TreeRun run = RunPlan(tree, *plan);
      if (++made == 2) run.record.outcome = outcome;
      search.Learn(*plan, run.Trace());
    }
    EXPECT_FALSE(search.Complete());
  }
}

TEST(DfsTest, RecordsThatDidNotFitLeaveTheSearchIncomplete) {
  const HashTree tree{.seed = 8, .depth = 5};
  DfsSearch search({});
  const std::optional<Plan> plan = search.Next();
  TreeRun run = RunPlan(tree, *plan);
  run.decisions.pop_back();

  search.Learn(*plan, run.Trace());
  (void)Search(search, tree);

  EXPECT_FALSE(search.Complete());
}

}  // namespace
}  // namespace heddle
