// The samplers' probabilities on programs where they are known.
//
// A count of n runs with probability p is normal enough here with standard deviation
// sqrt(n p (1 - p)); every bound is five of them, exceeded by a correct sampler once in 1.7
// million.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "simulate/enumerate.h"
#include "simulate/generate.h"
#include "simulate/paper_programs.h"
#include "simulate/sample.h"
#include "strategy/nonpreemptive.h"

namespace heddle {
namespace {

using simulate::Interleaving;
using simulate::Machine;
using simulate::Program;
using simulate::Sample;
using simulate::SampleCounts;

constexpr std::uint64_t kRuns = 100'000;

void ExpectRatio(std::uint64_t hits, std::uint64_t runs, double p, const std::string& what) {
  const double deviation = std::sqrt(p * (1 - p) / static_cast<double>(runs));
  EXPECT_NEAR(static_cast<double>(hits) / static_cast<double>(runs), p, 5 * deviation) << what;
}

void ExpectFailureRatio(const Program& program, const std::string& strategy, double p) {
  const SampleCounts counts = Sample(program, {.strategy = strategy, .runs = kRuns});
  ExpectRatio(counts.failures, counts.runs, p, program.name + " under " + strategy);
}

// Class hashes of all interleavings, with the random walk's exact probability.
std::map<std::uint64_t, double> ClassesOf(const Program& program) {
  Machine machine(program, {.stop_at_failure = false});
  NonPreemptivePolicy policy;
  std::map<std::uint64_t, double> classes;
  simulate::ForEachInterleaving(program, {.stop_at_failure = false}, [&](const Interleaving& run) {
    Plan plan;
    plan.prefix = run.answers;
    classes[machine.Run(plan, policy).class_hash] += run.probability;
  });
  return classes;
}

// Section 2 of the POS paper.
TEST(SamplersTest, TheRunningExampleFailsAsOftenAsThePaperSays) {
  const Program program = simulate::Figure2();

  ExpectFailureRatio(program, "random", 1.0 / 128);
  ExpectFailureRatio(program, "pct:depth=3,k=10,classic=on", 1.0 / 200);
  ExpectFailureRatio(program, "basic-pos", 1.0 / 120);
  ExpectFailureRatio(program, "pos", 1.0 / 48);
  ExpectFailureRatio(program, "pos:read-relaxed=off", 1.0 / 48);
}

// With 100,000 runs a class of probability 1/60 is seen 1666 times, standard deviation 41.
TEST(SamplersTest, PosMeetsEachOfTheTwelvePartialOrdersOfTheRunningExampleOnceInSixty) {
  const Program program = simulate::Figure2();
  EXPECT_EQ(ClassesOf(program).size(), 12u);

  const SampleCounts counts = Sample(program, {.strategy = "pos", .runs = kRuns});

  EXPECT_EQ(counts.classes.size(), 12u);
  for (const auto& [hash, count] : counts.classes) EXPECT_GT(count, 1666u - 5 * 41u);
}

TEST(SamplersTest, Figure1aSeparatesTheSamplers) {
  for (const int m : {4, 8, 16}) {
    const Program program = simulate::Figure1a(m);
    ExpectFailureRatio(program, "random", std::pow(0.5, m));
    ExpectFailureRatio(program, "pct:depth=1", 0.5);
    ExpectFailureRatio(program, "basic-pos", 1.0 / (m + 1));
    ExpectFailureRatio(program, "pos", 1.0 / (m + 1));
    ExpectFailureRatio(program, "urw", 1.0 / (m + 1));
    ExpectFailureRatio(program, "surw", 0.5);  // two accesses to x, one by each thread
  }
}

// k threads with one write each to one object: k! orders, all equally likely. Chi-square with 23
// degrees of freedom exceeds 58.6 with probability below 6e-5.
TEST(SamplersTest, PosOrdersAGroupOfDependentOperationsUniformly) {
  Program program;
  for (int t = 0; t < 4; ++t) program.Thread({simulate::Write(0, simulate::Const(t))});
  for (const char* const strategy : {"pos", "basic-pos", "random", "rapos", "urw", "surw"}) {
    const SampleCounts counts = Sample(program, {.strategy = strategy, .runs = kRuns});
    ASSERT_EQ(counts.classes.size(), 24u) << strategy;
    double chi_square = 0;
    for (const auto& [hash, count] : counts.classes) {
      const double expected = kRuns / 24.0;
      chi_square += std::pow(static_cast<double>(count) - expected, 2) / expected;
    }
    EXPECT_LT(chi_square, 58.6) << strategy;
  }
}

// Chi-square with n-1 degrees of freedom has mean n-1 and standard deviation sqrt(2(n-1)); bound:
// five of them. Each interleaving is expected at least 100,000 / 280 = 357 times.
TEST(SamplersTest, UrwIsUniformOverInterleavingsWhereNothingBlocks) {
  struct Case {
    std::vector<int> lengths;
    double interleavings;
  };
  for (const Case& c :
       {Case{{4, 4}, 70}, Case{{2, 2, 2}, 90}, Case{{5, 1, 2}, 168}, Case{{1, 3, 4}, 280}}) {
    Program program;
    for (const int length : c.lengths) {
      program.Thread(std::vector<simulate::Step>(static_cast<std::size_t>(length),
                                                 simulate::Write(0, simulate::Const(1))));
    }
    const SampleCounts counts = Sample(program, {.strategy = "urw", .runs = kRuns});
    ASSERT_EQ(counts.classes.size(), c.interleavings) << "all on one object: order = interleaving";
    double chi_square = 0;
    for (const auto& [hash, count] : counts.classes) {
      const double expected = kRuns / c.interleavings;
      chi_square += std::pow(static_cast<double>(count) - expected, 2) / expected;
    }
    const double freedom = c.interleavings - 1;
    EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2 * freedom));
  }
}

// The parent's weight holds its children's until it creates them: W(t) of the paper.
TEST(SamplersTest, UrwIsUniformWithThreadsThatAreCreatedLate) {
  using simulate::Const;
  using simulate::Write;
  Program program;
  program.Thread({Write(0, Const(1)), Write(0, Const(2)), simulate::Create(2), Write(0, Const(3))});
  program.Thread({Write(0, Const(4)), Write(0, Const(5))});
  program.Thread({Write(0, Const(6)), Write(0, Const(7))});
  std::size_t interleavings = 0;
  simulate::ForEachInterleaving(program, {}, [&](const Interleaving&) { ++interleavings; });

  const SampleCounts counts = Sample(program, {.strategy = "urw", .runs = kRuns});

  ASSERT_EQ(counts.classes.size(), interleavings);
  double chi_square = 0;
  for (const auto& [hash, count] : counts.classes) {
    const double expected = static_cast<double>(kRuns) / static_cast<double>(interleavings);
    chi_square += std::pow(static_cast<double>(count) - expected, 2) / expected;
  }
  const double freedom = static_cast<double>(interleavings) - 1;
  EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2 * freedom));
}

// SURW: the accesses to the target are ordered uniformly whatever else the threads do. Here x is
// the only shared object; A has one access behind 6 private ones, B has two. 3 orders.
TEST(SamplersTest, SurwOrdersTheTargetsOperationsUniformly) {
  using simulate::Const;
  using simulate::Write;
  Program program;
  std::vector<simulate::Step> a(6, Write(1, Const(1)));
  a.push_back(Write(0, Const(1)));
  program.Thread(a);
  program.Thread({Write(0, Const(2)), Write(2, Const(1)), Write(0, Const(3))});

  const SampleCounts counts = Sample(program, {.strategy = "surw", .runs = kRuns});

  ASSERT_EQ(counts.classes.size(), 3u);
  for (const auto& [hash, count] : counts.classes) ExpectRatio(count, kRuns, 1.0 / 3, "surw");
}

TEST(SamplersTest, EverySamplerFindsEveryClassOfRandomProgramsAndNoOther) {
  for (const simulate::Family& family : simulate::Families()) {
    Rng rng(HashText(family.name) + 5);
    for (int i = 0; i < 5; ++i) {
      const Program program = family.make(rng);
      const std::map<std::uint64_t, double> classes = ClassesOf(program);
      for (const char* const strategy :
           {"random", "basic-pos", "pos", "pos:read-relaxed=off", "rapos", "urw", "surw", "pct",
            "pct:depth=20", "pct:classic=on"}) {
        const SampleCounts counts = Sample(program, {.strategy = strategy, .runs = 20'000});
        for (const auto& [hash, count] : counts.classes) {
          ASSERT_TRUE(classes.contains(hash)) << strategy << " on " << family.name << " " << i;
        }
        // PCT reaches only what its depth allows; the others must meet whatever the random walk
        // meets once in 500 runs.
        if (std::string(strategy).starts_with("pct")) continue;
        for (const auto& [hash, p] : classes) {
          if (p < 0.002) continue;
          EXPECT_TRUE(counts.classes.contains(hash))
              << strategy << " never meets a class of probability " << p << " on " << family.name
              << " " << i;
        }
      }
    }
  }
}

// Depth 2, two threads of n writes: with k measured, PCT's single change point is at each of the
// decisions with the same probability.
TEST(SamplersTest, PctMeasuresItsLengthAndFindsADepthTwoBug) {
  using simulate::Add;
  using simulate::Const;
  using simulate::Is;
  using simulate::Read;
  using simulate::Write;
  // B must run between A's write and A's read back: one preemption.
  Program program;
  program.Thread(
      {Write(1, Const(1)), Write(1, Const(2)), Write(0, Const(1)), Read(0).Assert(Is::kEqual, 1)});
  program.Thread({Write(0, Const(2))});

  const SampleCounts counts = Sample(program, {.strategy = "pct:depth=2", .runs = kRuns});

  // A first (1/2); then the question is asked before each of A's four steps, and the change must
  // come before the last.
  ExpectRatio(counts.failures, counts.runs, 0.5 * 0.25, "pct:depth=2");
}

// Without the rule for yields a thread that spins with the highest priority would never let go.
void ExpectEndUnderEverySampler(const simulate::Step& wait) {
  Program program;
  program.Thread({wait, simulate::Read(0).Unless(simulate::Is::kEqual, 1, -2)});
  program.Thread({simulate::Write(1, simulate::Const(1)), simulate::Write(0, simulate::Const(1))});
  for (const char* const strategy : {"random", "pct", "basic-pos", "pos", "rapos", "urw", "surw"}) {
    std::uint64_t longest = 0;
    simulate::ForEachSample(program, {.strategy = strategy, .runs = 2'000}, false,
                            [&](const RunRecord& run, const Machine&) {
                              ASSERT_EQ(run.outcome, RunOutcome::kExited) << strategy;
                              longest = std::max(longest, run.events);
                            });
    EXPECT_LT(longest, 20'000u) << strategy;
  }
}

TEST(SamplersTest, WaitingByYieldingEndsUnderEverySampler) {
  ExpectEndUnderEverySampler(simulate::Yield());
}

// ... or one that waits, with a time limit, for what never comes.
TEST(SamplersTest, WaitingWithATimeLimitEndsUnderEverySampler) {
  constexpr simulate::Object kSemaphore = 2;
  ExpectEndUnderEverySampler(simulate::TimedSemWait(kSemaphore));
}

// The lock may be surw's target, and one worker be intended that waits for it while the other is
// held before the unlock. The third thread, which only looks whether both are done, is never held:
// it would look for ever.
TEST(SamplersTest, SurwDoesNotWaitForAThreadThatWaitsForTheOneItHolds) {
  using simulate::Add;
  using simulate::Const;
  using simulate::Is;
  constexpr simulate::Object kMutex = 0, kDone = 1;
  Program program;
  for (int worker = 0; worker < 2; ++worker) {
    program.Thread({simulate::Lock(kMutex), simulate::Unlock(kMutex), simulate::Lock(kMutex),
                    simulate::Unlock(kMutex), Add(kDone, Const(1))});
  }
  program.Thread({simulate::Yield(), simulate::Read(kDone).Unless(Is::kEqual, 2, -2)});

  std::uint64_t longest = 0;
  simulate::ForEachSample(program, {.strategy = "surw", .runs = 5'000}, false,
                          [&](const RunRecord& run, const Machine&) {
                            ASSERT_EQ(run.outcome, RunOutcome::kExited);
                            longest = std::max(longest, run.events);
                          });

  EXPECT_LT(longest, 500u);
}

}  // namespace
}  // namespace heddle
