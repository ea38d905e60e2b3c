#include "simulate/litmus.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "simulate/enumerate.h"
#include "simulate/machine.h"
#include "strategy/registry.h"

namespace heddle::simulate {
namespace {

struct Counted {
  std::set<std::string> classes;  // their partial orders, written out
  std::set<std::string> stuck;
};

Counted CountByForce(const Program& program) {
  Counted counted;
  ForEachInterleaving(program, {}, [&](const Interleaving& each) {
    const std::string order = CanonicalOrder(each.events);
    counted.classes.insert(order);
    if (each.deadlocked) counted.stuck.insert(order);
  });
  return counted;
}

struct Searched {
  std::set<std::uint64_t> classes;
  std::uint64_t runs = 0, blocked = 0, stuck = 0;
  bool complete = false;
};

Searched SearchWith(const char* strategy, const Program& program) {
  const auto spec = ParseStrategy(strategy);
  const std::unique_ptr<Search> search = spec->info->make_search({});
  const std::unique_ptr<Policy> policy = spec->info->make_policy();
  Machine machine(program);
  Searched searched;
  while (const std::optional<Plan> plan = search->Next()) {
    const RunRecord& record = machine.Run(*plan, *policy);
    ++searched.runs;
    if (record.outcome == RunOutcome::kBlocked) ++searched.blocked;
    if (record.failure == FailureKind::kDeadlock) ++searched.stuck;
    searched.classes.insert(record.class_hash);
    search->Learn(*plan, machine.Trace());
  }
  searched.complete = search->Complete();
  return searched;
}

TEST(LitmusTest, BruteForceCountsWhatWasDerivedByHand) {
  for (const Litmus& litmus : LitmusTests()) {
    const Counted counted = CountByForce(litmus.program);

    EXPECT_EQ(counted.classes.size(), litmus.classes) << litmus.program.name;
    EXPECT_EQ(counted.stuck.size(), litmus.stuck) << litmus.program.name;
  }
}

TEST(LitmusTest, OptimalDporRunsEachClassOnce) {
  for (const Litmus& litmus : LitmusTests()) {
    const Searched searched = SearchWith("optimal-dpor", litmus.program);

    EXPECT_EQ(searched.runs, litmus.classes) << litmus.program.name;
    EXPECT_EQ(searched.classes.size(), litmus.classes) << litmus.program.name;
    EXPECT_EQ(searched.stuck, litmus.stuck) << litmus.program.name;
    EXPECT_EQ(searched.blocked, 0u) << litmus.program.name;
    EXPECT_TRUE(searched.complete) << litmus.program.name;
  }
}

TEST(LitmusTest, DporAndBaselineSeeTheSameClasses) {
  for (const Litmus& litmus : LitmusTests()) {
    for (const char* const strategy : {"dpor", "baseline"}) {
      const Searched searched = SearchWith(strategy, litmus.program);

      EXPECT_EQ(searched.classes.size(), litmus.classes) << strategy << ' ' << litmus.program.name;
      EXPECT_TRUE(searched.complete) << strategy << ' ' << litmus.program.name;
    }
  }
}

}  // namespace
}  // namespace heddle::simulate
