#include "report/baseline.h"

#include <gtest/gtest.h>

#include "report/suppressions.h"

namespace heddle {
namespace {

Finding RaceIn(const std::string& function, const std::string& fingerprint) {
  Finding finding;
  finding.kind = FindingKind::kRace;
  finding.fingerprint = fingerprint;
  finding.message = "a race in " + function;
  Frame top{.function = function, .file = "/src/cache.cpp", .line = 12, .module = "/bin/app"};
  Frame caller{.function = "main", .file = "/src/main.cpp", .line = 3, .module = "/bin/app"};
  finding.stacks = {{"T1 writes hits = 3", {top, caller}}, {"T2 reads hits = 3", {caller}}};
  return finding;
}

TEST(BaselineTest, ReadsWhatItWrites) {
  const Finding a = RaceIn("Put", "aa"), b = RaceIn("Get", "bb");
  const Finding* const both[] = {&b, &a};
  const Baseline baseline = Baseline::Of(both);

  const Result<Baseline> read = Baseline::Parse(baseline.Format(), "known.json");

  ASSERT_TRUE(read);
  EXPECT_EQ(read->entries(), baseline.entries());
  EXPECT_EQ(read->entries().front().fingerprint, "aa");
}

TEST(BaselineTest, TellsKnownFromNewAndNamesTheVanished) {
  const Finding a = RaceIn("Put", "aa"), b = RaceIn("Get", "bb"), c = RaceIn("Clear", "cc");
  const Finding* const before[] = {&a, &b};
  const Finding* const now[] = {&a, &c};
  const Baseline baseline = Baseline::Of(before);

  EXPECT_TRUE(baseline.Knows(a));
  EXPECT_FALSE(baseline.Knows(c));
  ASSERT_EQ(baseline.Vanished(now).size(), 1u);
  EXPECT_EQ(baseline.Vanished(now)[0].fingerprint, "bb");
}

TEST(BaselineTest, RefusesWhatIsNone) {
  EXPECT_FALSE(Baseline::Parse("[]", "x"));
  EXPECT_FALSE(Baseline::Parse("{\"heddle_baseline\": 99, \"findings\": []}", "x"));
}

TEST(SuppressionsTest, PatternsMatchAnywhereUnlessAnchored) {
  EXPECT_TRUE(MatchesPattern("ache", "Cache::Put"));
  EXPECT_TRUE(MatchesPattern("C*Put", "Cache::Put"));
  EXPECT_TRUE(MatchesPattern("^Cache", "Cache::Put"));
  EXPECT_FALSE(MatchesPattern("^ache", "Cache::Put"));
  EXPECT_TRUE(MatchesPattern("Put$", "Cache::Put"));
  EXPECT_FALSE(MatchesPattern("Pu$", "Cache::Put"));
  EXPECT_FALSE(MatchesPattern("x", ""));
}

TEST(SuppressionsTest, ARaceIsSuppressedByFunctionFileVariableOrModule) {
  const Finding race = RaceIn("Cache::Put", "aa");
  for (const char* line : {"race:Cache::", "race:cache.cpp", "race:hits", "race:main",
                           "race_top:Cache::Put", "called_from_lib:app"}) {
    const Result<Suppressions> suppressions = Suppressions::Parse(line, "s");
    ASSERT_TRUE(suppressions);
    EXPECT_TRUE(suppressions->Match(race)) << line;
  }
  for (const char* line : {"race:Other", "race_top:cache.cpp.x", "deadlock:main", "mutex:main"}) {
    EXPECT_FALSE(Suppressions::Parse(line, "s")->Match(race)) << line;
  }
}

TEST(SuppressionsTest, OnlyDeadlocksAndMisuseAreFailuresThatItMayMatch) {
  EXPECT_FALSE(Suppressions::Parse("race:Put\nrace_top:Get\n", "s")->MayMatchFailures());
  EXPECT_TRUE(Suppressions::Parse("race:Put\ndeadlock:Take\n", "s")->MayMatchFailures());
  EXPECT_TRUE(Suppressions::Parse("mutex:legacy.c\n", "s")->MayMatchFailures());
}

TEST(SuppressionsTest, LinesWithoutAMeaningAreNotedAndOthersRefused) {
  const Result<Suppressions> noted = Suppressions::Parse("# none\n\nsignal:handler\n", "s");
  ASSERT_TRUE(noted);
  EXPECT_EQ(noted->notes().size(), 1u);
  EXPECT_FALSE(Suppressions::Parse("rase:Put", "s"));
}

}  // namespace
}  // namespace heddle
