// The systematic searches against brute force: which classes they run, how often, and what they
// find there.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "simulate/classes.h"
#include "simulate/counted_programs.h"
#include "simulate/generate.h"
#include "simulate/machine.h"
#include "strategy/registry.h"

namespace heddle::simulate {
namespace {

struct Explored {
  std::map<std::uint64_t, int> classes;  // how often each
  std::uint64_t runs = 0;
  std::uint64_t blocked = 0;
  std::uint64_t deadlocks = 0;
  bool complete = false;
};

constexpr std::uint64_t kMostRuns = 200'000;

Explored Explore(const Program& program, std::string_view strategy, bool estimates = false) {
  const auto spec = ParseStrategy(strategy);
  const std::unique_ptr<Search> search =
      spec->info->make_search({.params = spec->params, .estimates = estimates});
  Machine machine(program, {.stop_at_failure = false});
  const std::unique_ptr<Policy> policy = spec->info->make_policy();
  Explored explored;
  while (const std::optional<Plan> plan = search->Next()) {
    if (++explored.runs > kMostRuns) return explored;
    const RunRecord& record = machine.Run(*plan, *policy);
    if (record.outcome == RunOutcome::kBlocked) {
      ++explored.blocked;
    } else {
      ++explored.classes[record.class_hash];
      if (record.failure == FailureKind::kDeadlock) ++explored.deadlocks;
    }
    search->Learn(*plan, machine.Trace());
  }
  explored.complete = search->Complete();
  return explored;
}

std::set<std::uint64_t> HashesOf(const std::vector<ExactClass>& classes) {
  std::set<std::uint64_t> hashes;
  for (const ExactClass& each : classes) hashes.insert(each.hash);
  return hashes;
}

std::set<std::uint64_t> HashesOf(const Explored& explored) {
  std::set<std::uint64_t> hashes;
  for (const auto& [hash, count] : explored.classes) hashes.insert(hash);
  return hashes;
}

// Programs per family; HEDDLE_TEST_PROGRAMS=20000 makes the long version.
int Programs(int otherwise) {
  const char* const text = std::getenv("HEDDLE_TEST_PROGRAMS");
  return text == nullptr ? otherwise : std::atoi(text);
}

TEST(SystematicTest, OptimalDporRunsEveryClassExactlyOnce) {
  for (const Family& family : AllFamilies()) {
    Rng rng(HashText(family.name) + 5);
    for (int i = 0; i < Programs(2000); ++i) {
      const Program program = family.make(rng);
      const std::set<std::uint64_t> expected = HashesOf(ExactClasses(program));

      // Descents change the order of the runs, nothing else.
      const Explored explored = Explore(program, "optimal-dpor", /*estimates=*/i % 2 == 1);

      ASSERT_EQ(HashesOf(explored), expected) << family.name << " program " << i;
      ASSERT_EQ(explored.runs, expected.size()) << family.name << " program " << i;
      ASSERT_EQ(explored.blocked, 0u);
      ASSERT_TRUE(explored.complete);
    }
  }
}

// The one way to have a class twice: readers can't leave without others that are held back.
TEST(SystematicTest, WhereReadersWaitForEachOtherNoClassIsMissedAndFewComeTwice) {
  Rng rng(7);
  std::uint64_t runs = 0, repeated = 0;
  for (int i = 0; i < Programs(1500); ++i) {
    const Program program = SharedSections(rng);
    const std::set<std::uint64_t> expected = HashesOf(ExactClasses(program));

    const Explored explored = Explore(program, "optimal-dpor");

    ASSERT_EQ(HashesOf(explored), expected) << "program " << i;
    ASSERT_EQ(explored.blocked, 0u);
    ASSERT_TRUE(explored.complete);
    runs += explored.runs;
    repeated += explored.runs - expected.size();
  }
  // Measured over 20,000 of them: one run of 420.
  EXPECT_LE(repeated * 200, runs);
}

// dfs makes every interleaving: what is a class, a deadlock or a failure is what it finds.
TEST(SystematicTest, BaselineAndDporSeeTheClassesThatDfsSees) {
  std::uint64_t baseline_runs = 0, dpor_runs = 0, classes = 0;
  for (const Family& family : AllFamilies()) {
    Rng rng(HashText(family.name) + 6);
    for (int i = 0; i < Programs(300); ++i) {
      const Program program = family.make(rng);
      const std::set<std::uint64_t> expected = HashesOf(ExactClasses(program));
      const Explored baseline = Explore(program, "baseline");
      const Explored dpor = Explore(program, "dpor");

      ASSERT_EQ(HashesOf(baseline), expected) << family.name << " program " << i;
      ASSERT_EQ(HashesOf(dpor), expected) << family.name << " program " << i;
      ASSERT_TRUE(baseline.complete && dpor.complete);
      baseline_runs += baseline.runs;
      dpor_runs += dpor.runs;
      classes += expected.size();
    }
  }
  RecordProperty("baseline", static_cast<int>(baseline_runs));
  RecordProperty("dpor", static_cast<int>(dpor_runs));
  RecordProperty("classes", static_cast<int>(classes));
}

void ExpectRuns(const Program& program, std::uint64_t runs, std::uint64_t deadlocks) {
  const Explored explored = Explore(program, "optimal-dpor");
  EXPECT_EQ(explored.runs, runs) << program.name;
  EXPECT_EQ(explored.classes.size(), runs) << program.name;
  EXPECT_EQ(explored.deadlocks, deadlocks) << program.name;
  EXPECT_EQ(explored.blocked, 0u) << program.name;
  EXPECT_TRUE(explored.complete) << program.name;
}

TEST(SystematicTest, KnownProgramsHaveTheirKnownNumbersOfClasses) {
  ExpectRuns(StoreBuffering(), 3, 0);
  ExpectRuns(OppositeLocks(), 3, 1);
  ExpectRuns(FibBench(3), 141, 0);
  std::uint64_t binomial = 1;
  for (std::uint64_t n = 1; n <= 6; ++n) {
    binomial = binomial * (2 * n) * (2 * n - 1) / (n * n);
    ExpectRuns(LockedIncrements(static_cast<int>(n)), binomial, 0);
  }
  for (int n = 1; n <= 8; ++n) ExpectRuns(WriterAndReaders(n), std::uint64_t{1} << n, 0);
  for (int n = 3; n <= 7; ++n) {
    ExpectRuns(Philosophers(n, false), (std::uint64_t{1} << n) - 2, 0);
    ExpectRuns(Philosophers(n, true), (std::uint64_t{1} << n) - 1, 1);
  }
}

}  // namespace
}  // namespace heddle::simulate
