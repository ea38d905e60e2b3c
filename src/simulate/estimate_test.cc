// How many runs an exhaustive search has before it, as it says after the first few thousand.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "simulate/counted_programs.h"
#include "simulate/generate.h"
#include "simulate/machine.h"
#include "strategy/registry.h"

namespace heddle::simulate {
namespace {

// A search of a program on the machine, run by run.
class Searching {
 public:
  Searching(const Program& program, std::string_view strategy, bool estimates = true)
      : spec_(*ParseStrategy(strategy)),
        options_({.params = spec_.params, .estimates = estimates}),
        search_(spec_.info->make_search(options_)),
        machine_(program, {.stop_at_failure = false}),
        policy_(spec_.info->make_policy()) {}

  // At most so many runs; how many there were.
  std::uint64_t Run(std::uint64_t most) {
    std::uint64_t runs = 0;
    for (; runs < most; ++runs) {
      const std::optional<Plan> plan = search_->Next();
      if (!plan) break;
      machine_.Run(*plan, *policy_);
      search_->Learn(*plan, machine_.Trace());
    }
    return runs;
  }
  // As in another process.
  void SaveAndLoad() {
    const std::string state = search_->Save();
    search_ = spec_.info->make_search(options_);
    ASSERT_TRUE(search_->Load(state));
  }
  const Search& search() const { return *search_; }

 private:
  StrategySpec spec_;
  SearchOptions options_;
  std::unique_ptr<Search> search_;
  Machine machine_;
  std::unique_ptr<Policy> policy_;
};

double Factorial(int n) { return n <= 1 ? 1 : n * Factorial(n - 1); }

struct Counted {
  Program program;
  const char* strategy;
  double runs;
};

// What is drawn depends on nothing but the search itself, so these figures are the same everywhere.
TEST(EstimateTest, LargeSearchesAreMeasuredByTheirFirstRuns) {
  const Counted cases[] = {
      {FibBench(6), "optimal-dpor", 73'789},
      {FibBench(7), "optimal-dpor", 616'227},
      {LockedIncrements(10), "optimal-dpor", 184'756},
      {Philosophers(16, false), "optimal-dpor", 65'534},
      {WriterAndReaders(16), "optimal-dpor", 65'536},
      {WriterAndReaders(9), "dfs", Factorial(10)},
      {FibBench(6), "dfs", Factorial(36) / Factorial(18) / Factorial(18)},
  };
  for (const Counted& counted : cases) {
    Searching searching(counted.program, counted.strategy);

    searching.Run(16'000);
    const RunEstimate estimate = searching.search().EstimatedRuns();

    const std::string what = counted.program.name + ", " + counted.strategy;
    EXPECT_GE(estimate.runs, counted.runs / 3) << what;
    EXPECT_LE(estimate.runs, counted.runs * 3) << what;
    EXPECT_LE(estimate.low, counted.runs * 1.0001) << what;
    EXPECT_GE(estimate.high, counted.runs / 1.0001) << what;
    EXPECT_LE(estimate.high / estimate.low, 40) << what;
  }
}

// These do not draw: the bounded ones must keep to their order, and the others learn what is to be
// tried only on the way. So they say less at first.
TEST(EstimateTest, SearchesThatKeepToTheirOrderAreMeasuredToo) {
  const Counted cases[] = {
      {FibBench(4), "pcb:bound=4", 0},
      {Philosophers(5, false), "pcb:bound=3", 0},
      {WriterAndReaders(6), "pcb:bound=2", 0},
      {FibBench(4), "delay:bound=6", 0},
      {Philosophers(5, false), "delay:bound=4", 0},
      {FibBench(4), "dpor", 0},
      {WriterAndReaders(8), "dpor", 0},
      {FibBench(4), "baseline", 0},
      {Philosophers(4, false), "baseline", 0},
  };
  for (const Counted& counted : cases) {
    const std::uint64_t made =
        Searching(counted.program, counted.strategy, /*estimates=*/false).Run(1'000'000);
    const auto runs = static_cast<double>(made);
    const std::string what = counted.program.name + ", " + counted.strategy;
    ASSERT_LT(made, 1'000'000) << what;
    for (const std::uint64_t part : {50, 20, 2}) {
      Searching searching(counted.program, counted.strategy);

      const std::uint64_t first = searching.Run(made / part);
      const RunEstimate estimate = searching.search().EstimatedRuns();
      const std::uint64_t rest = searching.Run(made);

      if (first < 100) continue;
      EXPECT_GE(estimate.runs, runs / 6) << what << " after a " << part << "th of " << runs;
      EXPECT_LE(estimate.runs, runs * 6) << what << " after a " << part << "th of " << runs;
      EXPECT_LE(estimate.low, runs) << what << " after a " << part << "th of " << runs;
      EXPECT_GE(estimate.high, runs) << what << " after a " << part << "th of " << runs;
      EXPECT_EQ(first + rest, made) << what;
      EXPECT_EQ(searching.search().EstimatedRuns().runs, runs) << what;
    }
  }
}

TEST(EstimateTest, DescentsChangeTheOrderOfDfsAndNothingElse) {
  for (const Family& family : AllFamilies()) {
    Rng rng(HashText(family.name) + 8);
    for (int i = 0; i < 40; ++i) {
      const Program program = family.make(rng);
      const std::uint64_t runs = Searching(program, "dfs", /*estimates=*/false).Run(20'000);
      Searching searching(program, "dfs");

      const std::uint64_t first = searching.Run(runs / 3);
      searching.SaveAndLoad();
      const std::uint64_t rest = searching.Run(20'000 - first);

      ASSERT_EQ(first + rest, runs) << family.name << " program " << i;
      if (runs == 20'000) continue;
      ASSERT_TRUE(searching.search().Complete()) << family.name << " program " << i;
      ASSERT_EQ(searching.search().EstimatedRuns().runs, static_cast<double>(runs));
    }
  }
}

// Between two runs of its descents, and behind them.
TEST(EstimateTest, ASearchThatIsLoadedEstimatesWhatItWouldHave) {
  for (const char* const strategy :
       {"optimal-dpor", "dfs", "pcb:bound=4", "delay:bound=6", "dpor", "baseline"}) {
    for (const std::uint64_t runs : {700U, 12'000U}) {
      Searching one(FibBench(6), strategy), other(FibBench(6), strategy);
      one.Run(runs);
      other.Run(runs);
      other.SaveAndLoad();

      one.Run(4'000);
      other.Run(4'000);

      EXPECT_GT(one.search().EstimatedRuns().runs, 0);
      EXPECT_EQ(one.search().EstimatedRuns().runs, other.search().EstimatedRuns().runs);
      EXPECT_EQ(one.search().EstimatedRuns().high, other.search().EstimatedRuns().high);
    }
  }
}

}  // namespace
}  // namespace heddle::simulate
