// Reachability testing against a brute force that knows nothing of it, and against the paper's
// numbers.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/rng.h"
#include "reach/brute_force.h"
#include "reach/generate.h"
#include "reach/prefix_run.h"
#include "reach/races.h"
#include "reach/table_programs.h"

namespace heddle::reach {
namespace {

// Explores and checks that no sequence comes twice.
struct Explored {
  ExploreResult result;
  std::set<std::vector<Index>> identities;
  bool ends_as_expected = true;
};

Explored ExploreAll(const Program& program, std::uint64_t seed, Scheme scheme,
                    const AllSequences* expected = nullptr) {
  Explored explored;
  explored.result = ExploreProgram(
      program, {.seed = seed, .most_runs = 200'000, .choose_scheme = false, .scheme = scheme},
      [&](const Sequence& sequence, const RunEnd& end) {
        std::vector<Index> identity = sequence.Identity();
        if (expected != nullptr) {
          const auto at = expected->ends.find(identity);
          if (at == expected->ends.end() || at->second != end.state) {
            explored.ends_as_expected = false;
          }
        }
        explored.identities.insert(std::move(identity));
      });
  return explored;
}

void ExpectSameAsBruteForce(const Program& program, const AllSequences& all, Scheme scheme,
                            std::uint64_t seed) {
  const Explored explored = ExploreAll(program, seed, scheme, &all);
  EXPECT_TRUE(explored.result.complete);
  EXPECT_EQ(explored.result.counts.sequences, explored.identities.size()) << "a duplicate";
  EXPECT_EQ(explored.identities.size(), all.ends.size());
  EXPECT_TRUE(explored.ends_as_expected);
}

TEST(ReachabilityTest, FindsEverySequenceOfRandomProgramsOnceWithAnySeed) {
  int compared = 0;
  for (std::uint64_t i = 0; compared < 250; ++i) {
    SCOPED_TRACE(i);
    Rng rng(i);
    const Program program = RandomProgram({}, rng);
    const AllSequences all = BruteForce(program, 5'000);
    ASSERT_FALSE(all.ambiguous);
    if (all.too_many) continue;
    ++compared;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Scheme scheme = (i + seed) % 2 == 0 ? Scheme::kObjectCentric : Scheme::kThreadCentric;
      ExpectSameAsBruteForce(program, all, scheme, seed);
    }
    if (HasFailure()) return;
  }
}

// The rows that take long are left to `heddle bench reachability`.
TEST(ReachabilityTest, GivesThePapersNumbersForTheSmallerRowsOfTable1) {
  for (const TableRow& row : TableOne()) {
    if (row.expected == 0 || row.expected > 1'000) continue;
    const Explored explored = ExploreAll(row.make(), 1, Scheme::kObjectCentric);
    EXPECT_EQ(explored.result.counts.sequences, row.expected) << row.name << row.configuration;
    EXPECT_EQ(explored.identities.size(), row.expected) << row.name << row.configuration;
    EXPECT_EQ(explored.result.deadlocks, 0u);
  }
}

// Table 1 alone can't detect a wrong colouring; these can.
TEST(ReachabilityTest, FindsPhilosophersWithSemaphoresOnceEachWithOneDeadlock) {
  const std::uint64_t expected[] = {3, 7, 15, 31};
  for (int n = 2; n <= 5; ++n) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Explored explored = ExploreAll(PhilosophersSemaphore(n), seed, Scheme::kObjectCentric);
      EXPECT_EQ(explored.result.counts.sequences, expected[n - 2]);
      EXPECT_EQ(explored.identities.size(), expected[n - 2]);
      EXPECT_EQ(explored.result.deadlocks, 1u);
    }
  }
}

TEST(ReachabilityTest, BruteForceAgreesOnTheSmallestRowOfTable1) {
  const AllSequences all = BruteForce(PhilosophersSU(3), 100'000);
  EXPECT_FALSE(all.too_many);
  EXPECT_EQ(all.ends.size(), 30u);
}

// Happened-before wherever one of the two events is a receive.
TEST(ReachabilityTest, BothTimestampSchemesGiveTheSameOrderAndTheSameRaces) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    Rng rng(i);
    const Program program = RandomProgram({}, rng);
    Sequence objects;
    Sequence threads;
    Rng first(i);
    Rng second(i);
    RunWith(program, {}, Scheme::kObjectCentric, first, objects);
    RunWith(program, {}, Scheme::kThreadCentric, second, threads);
    ASSERT_EQ(objects.Identity(), threads.Identity());

    EXPECT_EQ(RaceSets(objects), RaceSets(threads));
    const auto receives = static_cast<Index>(objects.receives().size());
    for (Index r = 0; r < receives; ++r) {
      for (Index s = 0; s < objects.sends().size(); ++s) {
        EXPECT_EQ(objects.PrecedesSend(r, s), threads.PrecedesSend(r, s));
      }
      for (Index later = 0; later < receives; ++later) {
        EXPECT_EQ(objects.PrecedesReceive(r, later), threads.PrecedesReceive(r, later));
        EXPECT_EQ(objects.InPrimeOf(r, later), threads.InPrimeOf(r, later));
      }
      for (Index owner = 0; owner < program.owners(); ++owner) {
        EXPECT_EQ(objects.PrecedesOwner(r, owner), threads.PrecedesOwner(r, owner));
      }
    }
    if (HasFailure()) return;
  }
}

TEST(ReachabilityTest, KeepsFewVariantsPending) {
  const ExploreResult result = ExploreProgram(BoundedBufferSU(3, 3, 2), {.seed = 1});

  EXPECT_EQ(result.counts.sequences, 720u);
  EXPECT_LT(result.counts.most_pending, 100u);
}

// Three messages to a port with room for one: the order of admission is the order of receipt.
TEST(ReachabilityTest, ABoundedPortHasAsManySequencesAsOrdersOfAdmission) {
  Program program;
  const Index port = AddObject(program, ObjectType::kBoundedPort, 1, 0);
  Writer(&program).Receive(port).Receive(port).Receive(port);
  for (int i = 0; i < 3; ++i) Writer(&program).Send(port);

  const Explored explored = ExploreAll(program, 1, Scheme::kObjectCentric);

  EXPECT_EQ(explored.result.counts.sequences, 6u);
  EXPECT_EQ(explored.result.deadlocks, 0u);
}

}  // namespace
}  // namespace heddle::reach
