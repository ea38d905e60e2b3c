// The strategies on programs with semaphores, locks, monitors and ports: the final states and the
// deadlocks are those of the brute force, which knows nothing of strategies.
#include "simulate/sync_machine.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/rng.h"
#include "reach/brute_force.h"
#include "reach/configurations.h"
#include "reach/generate.h"
#include "reach/prefix_run.h"

namespace heddle::simulate {
namespace {

using reach::AllSequences;
using reach::FinalState;
using reach::Index;
using reach::ObjectType;
using reach::Program;
using reach::Writer;

std::set<FinalState> StatesOf(const AllSequences& all) {
  std::set<FinalState> states;
  for (const auto& [sequence, state] : all.ends) states.insert(state);
  return states;
}

// HEDDLE_TEST_PROGRAMS=2000 makes the long version.
int Programs(int usual) {
  const char* const text = std::getenv("HEDDLE_TEST_PROGRAMS");
  return text == nullptr ? usual : std::atoi(text);
}

TEST(SyncMachineTest, ReachabilityAndOptimalDporEndInTheStatesOfTheBruteForce) {
  int compared = 0;
  for (std::uint64_t i = 0; compared < Programs(150); ++i) {
    SCOPED_TRACE(i);
    Rng rng(i);
    const Program program = reach::RandomProgram({.ports_only = i % 3 == 0}, rng);
    const AllSequences all = reach::BruteForce(program, 3'000);
    if (all.too_many) continue;
    ++compared;
    const SyncStates by_reachability = StatesBy("reachability:check=on", program, 100'000);
    const SyncStates by_order = StatesBy("optimal-dpor", program, 1'000'000);

    EXPECT_TRUE(by_reachability.complete);
    EXPECT_TRUE(by_order.complete);
    EXPECT_EQ(by_reachability.states, StatesOf(all));
    EXPECT_EQ(by_reachability.runs - by_reachability.blocked, all.ends.size());
    EXPECT_EQ(by_order.states, StatesOf(all));
    if (HasFailure()) return;
  }
}

// Small ones of all kinds; `heddle bench reachability` counts the larger ones too.
TEST(SyncMachineTest, CountsEverySequenceOfManyConfigurationsOnce) {
  int compared = 0;
  for (const reach::Configuration& each : reach::Configurations()) {
    SCOPED_TRACE(each.name);
    const AllSequences all = reach::BruteForce(each.program, 3'000);
    if (all.too_many) continue;
    ++compared;
    EXPECT_FALSE(all.ambiguous);
    const reach::ExploreResult interpreted = reach::ExploreProgram(each.program, {});
    const SyncStates found = StatesBy("reachability", each.program, 100'000);

    EXPECT_EQ(interpreted.counts.sequences, all.ends.size());
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.runs - found.blocked, all.ends.size());
    EXPECT_EQ(found.states, StatesOf(all));
    // It runs many classes that differ in nothing but the order of sends to one port.
    const SyncStates by_order = StatesBy("optimal-dpor", each.program, 3'000);
    if (by_order.runs == 3'000) continue;
    EXPECT_EQ(by_order.states, StatesOf(all));
  }
  EXPECT_GT(compared, 100);
}

// What a receiver that waits at two ports may find in either order, though one thread sent both.
TEST(SyncMachineTest, AMessageMayOvertakeAnotherToASiblingPort) {
  Program program;
  const Index first = AddObject(program, ObjectType::kAsyncPort, 0, 0);
  const Index second = AddObject(program, ObjectType::kAsyncPort, 0, 0);
  const reach::Var got = AddVariable(program);
  Writer(&program).Select({{.port = first, .into = got.id}, {.port = second, .into = got.id}});
  Writer(&program).Send(first, reach::Constant(1)).Send(second, reach::Constant(2));

  for (const char* strategy : {"reachability", "optimal-dpor"}) {
    const SyncStates found = StatesBy(strategy, program, 1'000);
    EXPECT_TRUE(found.complete) << strategy;
    EXPECT_EQ(found.states.size(), 2u) << strategy;
  }
}

}  // namespace
}  // namespace heddle::simulate
