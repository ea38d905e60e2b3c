#include "cli/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace heddle {
namespace {

using ::testing::HasSubstr;

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

TEST(RunReportTest, ACompleteSearchNamesItsMemoryModel) {
  Explored explored = CleanRun();
  explored.complete = true;
  explored.stopped_by = StoppedBy::kComplete;

  EXPECT_THAT(RenderSummary(explored, RandomOptions()),
              HasSubstr("every schedule was tried, under sequential consistency"));
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

}  // namespace
}  // namespace heddle
