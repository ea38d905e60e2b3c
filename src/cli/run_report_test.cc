#include "cli/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "strategy/registry.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ExploreOptions RandomOptions() {
  ExploreOptions options;
  options.strategy_text = "random";
  return options;
}

Explored CleanRun() {
  Explored explored;
  explored.runs = 10'000;
  explored.classes = 12;
  explored.events = 120'000;
  explored.seconds = 1.234;
  explored.stopped_by = StoppedBy::kRuns;
  return explored;
}

TEST(RunReportTest, JsonHasTheKeysThatScriptsRelyOnInTheirOrder) {
  const auto json = RunToJson(CleanRun(), RandomOptions(), {});

  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  const std::vector<std::string> contract = {"tool",          "schema",       "version",
                                             "command",       "command_line", "build_id",
                                             "strategy",      "seed",         "backend",
                                             "points",        "workers",      "memory_model",
                                             "runs",          "blocked_runs", "classes",
                                             "classes_exact", "events",       "complete",
                                             "stopped_by",    "seconds",      "compile_seconds",
                                             "findings",      "verdict",      "uncontrolled"};
  ASSERT_GE(keys.size(), contract.size());
  keys.resize(contract.size());
  EXPECT_EQ(keys, contract);
  EXPECT_EQ(json["runs"], 10'000);
  EXPECT_EQ(json["stopped_by"], "runs");
}

TEST(RunReportTest, ACleanSearchSaysHowMuchItSearchedAndWhyItEnded) {
  const std::string text = RenderSummary(CleanRun(), RandomOptions());

  EXPECT_THAT(text, HasSubstr("No failure in 10,000 runs with random, seed 1: 12 classes, "
                              "120,000 events, 1.23 s."));
  EXPECT_THAT(text, HasSubstr("the budget of 10,000 runs is used up (--runs)"));
}

TEST(RunReportTest, ASearchThatEndedByItselfSaysSoWhetherOrNotThatProvesAnything) {
  Explored pruned = CleanRun();
  pruned.runs = 12;
  Explored proved = pruned;
  proved.complete = true;
  proved.stopped_by = StoppedBy::kComplete;
  Explored bounded = CleanRun();

  EXPECT_EQ(RunToJson(pruned, RandomOptions(), {})["nothing_left"], true);
  EXPECT_EQ(RunToJson(proved, RandomOptions(), {})["nothing_left"], true);
  EXPECT_EQ(RunToJson(bounded, RandomOptions(), {})["nothing_left"], false);
}

TEST(RunReportTest, RedundantRunsAreCounted) {
  Explored explored = CleanRun();
  EXPECT_THAT(RenderSummary(explored, RandomOptions()), Not(HasSubstr("redundant")));
  explored.blocked_runs = 484;
  EXPECT_THAT(RenderSummary(explored, RandomOptions()), HasSubstr("\n484 runs were redundant: "));
  explored.blocked_runs = 1;
  EXPECT_THAT(RenderSummary(explored, RandomOptions()), HasSubstr("\n1 run was redundant: "));
}

Explored SampledRun(std::uint64_t hits, std::uint64_t runs, StoppingRule rule) {
  Explored explored = CleanRun();
  const HitRatio any = MeasureHits(hits, runs, rule);
  explored.verdict = JudgeSamples(any, rule, {.runs = runs, .classes = 412, .once = 30});
  explored.verdict->saturation = {{.runs = 1, .classes = 1}, {.runs = runs, .classes = 412}};
  return explored;
}

TEST(RunReportTest, ASamplingSearchEndsWithItsVerdict) {
  const Explored explored = SampledRun(0, 10'000, StoppingRule::kBudget);

  const auto json = RunToJson(explored, RandomOptions(), {})["verdict"];
  const std::string text = RenderSummary(explored, RandomOptions());

  for (const char* key :
       {"hit_ratio", "ci95", "p_upper95", "classes_seen", "unseen_mass", "runs_for_99"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["hit_ratio"], 0);
  EXPECT_NEAR(json["p_upper95"].get<double>(), 3e-4, 1e-5);
  EXPECT_EQ(json["saturation"].back()["classes"], 412);
  EXPECT_THAT(text, HasSubstr("its probability is below 0.0003"));
  EXPECT_THAT(text, HasSubstr("412 classes were seen"));
  EXPECT_THAT(text, HasSubstr("Classes by runs: 1 in 1, 412 in 10,000."));
}

TEST(RunReportTest, EveryFindingHasItsOwnHitRatio) {
  Explored explored = SampledRun(300, 10'000, StoppingRule::kBudget);
  for (const std::uint64_t hits : {100, 200}) {
    Explored::Found found;
    found.finding.id = hits == 100 ? "abc" : "def";
    found.ratio = MeasureHits(hits, 10'000, StoppingRule::kBudget);
    explored.found.push_back(std::move(found));
  }

  const auto json = RunToJson(explored, RandomOptions(), {})["verdict"];
  const std::string text = RenderSummary(explored, RandomOptions());

  EXPECT_EQ(json["hit_ratio"], 0.03);
  EXPECT_EQ(json["findings"][1]["hit_ratio"], 0.02);
  EXPECT_LT(json["findings"][1]["ci95"][0], 0.02);
  EXPECT_THAT(text, HasSubstr("Fails in 0.03 of the runs"));
  EXPECT_THAT(text,
              HasSubstr("abc: in 0.01 of the runs (95 % interval 0.0081 to 0.012); 459 runs "));
}

TEST(RunReportTest, AFindingThatCouldNotBeStoredIsCalledByItsKind) {
  Explored explored = SampledRun(300, 10'000, StoppingRule::kBudget);
  for (const FindingKind kind : {FindingKind::kAssertion, FindingKind::kRace}) {
    Explored::Found found;
    found.finding.kind = kind;
    found.ratio = MeasureHits(100, 10'000, StoppingRule::kBudget);
    explored.found.push_back(std::move(found));
  }

  const std::string text = RenderSummary(explored, RandomOptions());

  EXPECT_THAT(text, HasSubstr("assertion: in 0.01 of the runs"));
  EXPECT_THAT(text, HasSubstr("race: in 0.01 of the runs"));
}

TEST(RunReportTest, AFailureThatWasNotDrawnIsNotDenied) {
  Explored explored = SampledRun(0, 92, StoppingRule::kFirstHit);
  explored.found.emplace_back().finding.kind = FindingKind::kDeadlock;
  ExploreOptions options = RandomOptions();
  EXPECT_THAT(RenderSummary(explored, options),
              HasSubstr("found before the last scheduling point was"));
  options.strategy = *ParseStrategy("auto");
  EXPECT_THAT(RenderSummary(explored, options),
              HasSubstr("found by the exhaustive search that auto went over to"));
  explored.found[0].finding.kind = FindingKind::kRace;
  EXPECT_THAT(RenderSummary(explored, options), Not(HasSubstr("The failure was found")));
}

TEST(RunReportTest, AnExhaustiveSearchHasNoVerdict) {
  EXPECT_TRUE(RunToJson(CleanRun(), RandomOptions(), {})["verdict"].empty());
}

TEST(RunReportTest, ACompleteSearchNamesItsMemoryModel) {
  Explored explored = CleanRun();
  explored.complete = true;
  explored.stopped_by = StoppedBy::kComplete;

  EXPECT_THAT(RenderSummary(explored, RandomOptions()),
              HasSubstr("every schedule was tried, under sequential consistency"));
}

TEST(RunReportTest, ASearchOfChosenPointsIsCompleteForThoseOnly) {
  Explored explored = CleanRun();
  explored.complete = true;
  explored.stopped_by = StoppedBy::kComplete;
  ExploreOptions options = RandomOptions();
  options.worker.scope.focus = {"queue.h"};

  EXPECT_THAT(RenderSummary(explored, options), HasSubstr("Complete for the chosen points"));
  EXPECT_EQ(RunToJson(explored, options, {})["complete_for"], "the chosen points");
  EXPECT_EQ(RunToJson(explored, RandomOptions(), {})["complete_for"], "all points");
}

TEST(RunReportTest, AProgramWithoutThreadsIsSaidToBeOne) {
  Explored explored;
  explored.runs = 1;
  explored.starts_no_thread = true;

  EXPECT_THAT(RenderSummary(explored, RandomOptions()), HasSubstr("starts no thread"));
}

TEST(RunReportTest, WhatIsNotControlledIsNamedWithItsPlace) {
  Explored explored = CleanRun();
  explored.uncontrolled.push_back(
      {.what = "sendfile", .site = "a.cpp:12", .count = 3, .effect = "its order is not chosen"});

  EXPECT_THAT(RenderSummary(explored, RandomOptions()),
              HasSubstr("Not under heddle's control: sendfile at a.cpp:12 (3 times): its order"));
}

TEST(RunReportTest, WhatIsLeftIsSaidNoMoreExactlyThanItIsKnown) {
  Explored cut = CleanRun();
  cut.estimated_runs = {.runs = 616'227, .low = 312'345, .high = 1'234'567};
  cut.time_left = {.seconds = 60, .low = 30, .high = 7500};
  Explored hopeless = CleanRun();
  hopeless.estimated_runs = {.runs = 3e30, .low = 1e30, .high = 9e30};
  hopeless.time_left = {.seconds = 3e27, .low = 1e27, .high = 9e27};
  Explored nearly = CleanRun();
  nearly.estimated_runs = {.runs = 20'000, .low = 19'000, .high = 21'000};
  nearly.time_left = {.seconds = 100, .low = 90, .high = 110};

  EXPECT_THAT(RenderSummary(cut, RandomOptions()),
              HasSubstr("In all there are about 616,000 (312,000 to 1,230,000) runs; the rest "
                        "would take 30 s to 2 h 5 min at this rate.\n"));
  EXPECT_THAT(RenderSummary(hopeless, RandomOptions()),
              HasSubstr("about 3.0e+30 (1.0e+30 to 9.0e+30) runs; the rest would take 3e+19 years "
                        "to 3e+20 years"));
  EXPECT_THAT(RenderSummary(nearly, RandomOptions()),
              HasSubstr("the rest would take 1 min 40 s at this rate"));
}

}  // namespace
}  // namespace heddle
