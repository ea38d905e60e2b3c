#include "strategy/reachability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "simulate/classes.h"
#include "simulate/generate.h"
#include "simulate/machine.h"
#include "strategy/reachability_policy.h"

namespace heddle {
namespace {

using simulate::ExactClass;
using simulate::Family;
using simulate::Machine;
using simulate::Program;

struct Explored {
  std::uint64_t runs = 0;
  std::uint64_t deadlocks = 0;
  std::multiset<std::uint64_t> classes;  // of the runs that count
};

Explored Explore(const Program& program, ReachabilitySearch& search) {
  Machine machine(program, {.stop_at_failure = false});
  ReachabilityPolicy policy;
  Explored explored;
  while (const std::optional<Plan> plan = search.Next()) {
    const RunRecord record = machine.Run(*plan, policy);
    const std::uint64_t blocked = search.counts().blocked;
    search.Learn(*plan, machine.Trace());
    if (++explored.runs > 20'000) break;
    if (search.counts().blocked != blocked) continue;
    explored.classes.insert(record.class_hash);
    if (record.failure == FailureKind::kDeadlock) ++explored.deadlocks;
  }
  return explored;
}

// ... or posts of a semaphore, which commute as well.
bool HasReads(const Program& program) {
  for (const auto& thread : program.threads) {
    for (const simulate::Step& step : thread) {
      if (step.kind == OpKind::kAtomicLoad || step.kind == OpKind::kSemPost) return true;
    }
  }
  return false;
}

// Where every operation writes, a SYN-sequence is a partial order; reads of one object commute, but their
// order is part of the SYN-sequence.
TEST(ReachabilitySearchTest, MeetsEveryPartialOrderOfRandomPrograms) {
  int complete = 0;
  for (const Family& family : simulate::Families()) {
    Rng rng(HashText(family.name) + 11);
    for (int i = 0; i < 60; ++i) {
      SCOPED_TRACE(std::string(family.name) + " " + std::to_string(i));
      const Program program = family.make(rng);
      std::set<std::uint64_t> expected;
      for (const ExactClass& exact : simulate::ExactClasses(program)) expected.insert(exact.hash);

      ReachabilitySearch search({});
      const Explored explored = Explore(program, search);

      const std::set<std::uint64_t> seen(explored.classes.begin(), explored.classes.end());
      ASSERT_TRUE(std::includes(expected.begin(), expected.end(), seen.begin(), seen.end()));
      if (!search.Complete()) {
        ASSERT_FALSE(search.uncovered().empty());
        continue;
      }
      ++complete;
      ASSERT_EQ(seen, expected);
      ASSERT_EQ(explored.classes.size(), search.counts().sequences);
      if (!HasReads(program)) {
        ASSERT_EQ(explored.classes.size(), seen.size()) << "a partial order came twice";
      }
    }
  }
  EXPECT_GT(complete, 250);
}

TEST(ReachabilitySearchTest, FindsPhilosophersWithSemaphoresOnceEachWithOneDeadlock) {
  const std::uint64_t expected[] = {3, 7, 15, 31};
  for (int n = 2; n <= 5; ++n) {
    Program program;
    program.initial.assign(static_cast<std::size_t>(n), 1);
    for (int i = 0; i < n; ++i) {
      const auto left = static_cast<simulate::Object>(i);
      const auto right = static_cast<simulate::Object>((i + 1) % n);
      program.Thread({simulate::SemWait(left), simulate::SemWait(right), simulate::SemPost(left),
                      simulate::SemPost(right)});
    }

    ReachabilitySearch search({});
    const Explored explored = Explore(program, search);

    EXPECT_EQ(search.counts().sequences, expected[n - 2]);
    EXPECT_EQ(explored.runs, expected[n - 2] + search.counts().blocked);
    EXPECT_EQ(explored.deadlocks, 1u);
    EXPECT_TRUE(search.Complete());
  }
}

TEST(ReachabilitySearchTest, NamesWhatItDoesNotCoverAndClaimsNothing) {
  Program program;
  program.Thread({simulate::TimedSemWait(0)});
  program.Thread({simulate::SemPost(0)});

  ReachabilitySearch search({});
  Explore(program, search);

  EXPECT_FALSE(search.Complete());
  EXPECT_TRUE(search.uncovered().contains("an operation that may time out"));
}

}  // namespace
}  // namespace heddle
