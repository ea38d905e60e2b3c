#include "report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/layout.h"
#include "report/table_rows.h"
#include "report/testing/example_runs.h"
#include "report/text.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Finding FindingOf(TraceBuilder run) {
  return BuildFinding(run.Trace(), run.symbols(), ExampleContext("program"));
}

std::size_t WidestLine(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, DisplayWidth(line));
  }
  return widest;
}

TEST(TableTest, ItFitsTheTerminal) {
  const Finding findings[] = {FindingOf(LostUpdate()),  FindingOf(Abba()),
                              FindingOf(LostWakeUp()),  FindingOf(Spinning()),
                              FindingOf(LongStretch()), FindingOf(ManyThreads())};
  for (const Finding& finding : findings) {
    for (const int width : {40, 60, 80, 100, 132, 250}) {
      EXPECT_LE(WidestLine(RenderTable(finding, {.width = width})), static_cast<std::size_t>(width))
          << finding.message << " at " << width;
    }
  }
}

TEST(TableTest, WithoutColorThereAreNoEscapes) {
  TextOptions options;
  const std::string text = RenderFinding(FindingOf(LostUpdate()), options);
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  options.table.color = true;
  EXPECT_THAT(RenderFinding(FindingOf(LostUpdate()), options), HasSubstr("\033"));
}

TEST(TableTest, EverythingMeansNothingIsFolded) {
  const Finding finding = FindingOf(Spinning());

  const std::string folded = RenderTable(finding, {.width = 100});
  const std::string whole = RenderTable(finding, {.width = 100, .everything = true});

  EXPECT_THAT(folded, HasSubstr("× 40"));
  EXPECT_THAT(whole, Not(HasSubstr("×")));
}

TEST(TableTest, EveryStepIsShownOrCounted) {
  for (const Finding& finding :
       {FindingOf(Spinning()), FindingOf(LongStretch()), FindingOf(LostUpdate())}) {
    std::size_t steps = 0;
    for (const TableRow& row : RowsOf(finding, {})) {
      if (row.kind == TableRow::Kind::kStep) ++steps;
      if (row.kind == TableRow::Kind::kFold) steps += row.count;
      if (row.kind == TableRow::Kind::kRepeat) steps += row.count * row.span;
    }
    EXPECT_EQ(steps, finding.steps.back().number);
  }
}

TEST(TableTest, ManySwitchesDoNotFloodTheTerminal) {
  TraceBuilder run;
  const ObjectId x = run.Memory("x");
  const ThreadId t1 = run.Create(0, {"a.cpp", 2, "w"}, {"a.cpp", 1, "main"});
  for (int i = 0; i < 1000; ++i) {
    const ThreadId to = i % 2 == 0 ? t1 : ThreadId{0};
    run.Preempt(i % 2 == 0 ? ThreadId{0} : t1, to);
    run.Access(to, OpKind::kWrite, x, static_cast<std::uint64_t>(i), {"a.cpp", 3, "w"});
  }
  run.ExitWith(1);

  const std::string table = RenderTable(FindingOf(run), {});

  EXPECT_LE(std::count(table.begin(), table.end(), '\n'), 170);
  EXPECT_THAT(table, HasSubstr("… 922 more operations"));
  EXPECT_THAT(table, HasSubstr("exits with status 1"));
}

TEST(TableTest, AFindingWithoutStepsHasNoTable) { EXPECT_EQ(RenderTable(Finding(), {}), ""); }

TEST(TableTest, TheFailingOperationIsMarked) {
  EXPECT_THAT(RenderTable(FindingOf(LostUpdate()), {}),
              HasSubstr("✗   assertion `counter == 2` failed"));
}

TEST(TextTest, WhatDoesNotDependOnTheScheduleIsSaid) {
  Finding finding = FindingOf(LostUpdate());
  finding.schedule_dependent = false;
  finding.replayed = false;
  finding.replay_note = "it left the road at step 4";

  const std::string text = RenderFinding(finding, {});

  EXPECT_THAT(text, HasSubstr("does not depend on the schedule"));
  EXPECT_THAT(text, HasSubstr("it did not replay: it left the road at step 4"));
}

TEST(TextTest, OutputIsBoundedAndHarmless) {
  Finding finding = FindingOf(LostUpdate());
  for (int i = 0; i < 100; ++i) finding.output += "line " + std::to_string(i) + "\n";
  finding.output += "\033[2Jend";

  const std::string text = RenderFinding(finding, {});

  EXPECT_THAT(text, HasSubstr("the last 12 lines"));
  EXPECT_THAT(text, HasSubstr("?[2Jend"));
  EXPECT_THAT(text, Not(HasSubstr("line 50")));
}

TEST(TextTest, AnotherDirectoryIsPartOfTheCommand) {
  Finding finding = FindingOf(LostUpdate());
  finding.id = "assertion-3f2a9c";

  EXPECT_THAT(RenderFinding(finding, {.out_directory = "bugs"}),
              HasSubstr("heddle replay assertion-3f2a9c --out bugs\n"));
  EXPECT_THAT(RenderFinding(finding, {.out_directory = "my bob's bugs"}),
              HasSubstr(R"(--out 'my bob'\''s bugs')"));
}

TEST(ListTest, DamagedFindingsAreListedToo) {
  FindingSummary good, bad;
  good.id = "race-123456";
  good.program = "/work/bank";
  good.message = "data race";
  good.hits = 12;
  bad.id = "crash-654321";
  bad.damage = "f.json: the finding is damaged";

  const std::string text = RenderList({good, bad}, {});

  EXPECT_THAT(text, HasSubstr("race-123456"));
  EXPECT_THAT(text, HasSubstr("bank"));
  EXPECT_THAT(text, HasSubstr("damaged: f.json"));
  EXPECT_EQ(RenderList({}, {}), "no findings in .heddle\n");
}

}  // namespace
}  // namespace heddle
