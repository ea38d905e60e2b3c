// Reports as they look, compared with files beside this one.
//
// After a change that is meant to be seen: HEDDLE_UPDATE_GOLDEN=1 heddle_golden_test, then read the
// diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "report/finding.h"
#include "report/schedule_file.h"
#include "report/table.h"
#include "report/testing/example_runs.h"
#include "report/text.h"

namespace heddle {
namespace {

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(HEDDLE_GOLDEN_DIRECTORY) + "/" + name;
  if (std::getenv("HEDDLE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << path << " differs; if that is meant, see the top of this test";
}

Finding FindingOf(TraceBuilder run, const std::string& program, const std::string& id) {
  Finding finding = BuildFinding(run.Trace(), run.symbols(), ExampleContext(program));
  finding.id = id;
  return finding;
}

TextOptions Width(int width) {
  TextOptions options;
  options.table.width = width;
  return options;
}

TEST(GoldenTest, ALostUpdateAtEightyColumns) {
  const Finding finding = FindingOf(LostUpdate(), "lost_update", "assertion-3f2a9c");
  ExpectGolden("lost_update_80.txt", RenderFinding(finding, Width(80)));
}

TEST(GoldenTest, ALostUpdateInColor) {
  const Finding finding = FindingOf(LostUpdate(), "lost_update", "assertion-3f2a9c");
  TextOptions options = Width(100);
  options.table.color = true;
  ExpectGolden("lost_update_color.txt", RenderFinding(finding, options));
}

TEST(GoldenTest, ADeadlockNamesWhoWaitsForWhat) {
  const Finding finding = FindingOf(Abba(), "abba", "deadlock-1a2b3c");
  ExpectGolden("abba.txt", RenderFinding(finding, Width(100)));
}

TEST(GoldenTest, ALostWakeUpIsADeadlockWithoutACycle) {
  const Finding finding = FindingOf(LostWakeUp(), "wakeup", "deadlock-4d5e6f");
  ExpectGolden("lost_wakeup.txt", RenderFinding(finding, Width(100)));
}

TEST(GoldenTest, SpinsAreFolded) {
  const Finding finding = FindingOf(Spinning(), "spin", "exit-778899");
  ExpectGolden("spinning.txt", RenderFinding(finding, Width(100)));
}

TEST(GoldenTest, LongStretchesAreFolded) {
  const Finding finding = FindingOf(LongStretch(), "queue", "crash-abcdef");
  ExpectGolden("long_stretch.txt", RenderFinding(finding, Width(100)));
}

TEST(GoldenTest, ManyThreadsGetANameOnEachRow) {
  const Finding finding = FindingOf(ManyThreads(), "many", "assertion-0a0b0c");
  ExpectGolden("many_threads.txt", RenderFinding(finding, Width(100)));
}

TEST(GoldenTest, AScheduleFileCanBeRead) {
  TraceBuilder run = LostUpdate();
  const Finding finding = FindingOf(run, "lost_update", "assertion-3f2a9c");
  const RunTrace trace = run.Trace();
  const std::vector<SiteRef> points = {
      *run.symbols().SiteOf(run.AddressOf({"lost_update.cpp", 8, "worker"}))};
  ExpectGolden("lost_update.heddle",
               FormatSchedule(MakeSchedule(trace, run.symbols(), points, finding)));
}

}  // namespace
}  // namespace heddle
