#include "explore/explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explore/testing/fake_program.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

ExploreOptions Options(const char* strategy) {
  ExploreOptions options;
  options.strategy = *ParseStrategy(strategy);
  options.strategy_text = strategy;
  options.runs = 200;
  options.workers = 2;
  options.worker.max_events = 1000;
  options.shrink_runs = 0;
  return options;
}

Result<Explored> Search(std::vector<std::string> modes, const ExploreOptions& options,
                        bool interrupted = false) {
  const std::atomic<bool> interrupt = interrupted;
  return Explore(FakeProgram(std::move(modes)), options, interrupt, nullptr);
}

TEST(ExplorerTest, ACleanProgramUsesItsBudgetOfRuns) {
  const auto result = Search({}, Options("random"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_EQ(result->runs, 200u);
  EXPECT_EQ(result->events, 800u);
  EXPECT_EQ(result->classes, 6u);  // 2 × 2 steps: 4! / (2! 2!)
  EXPECT_EQ(result->stopped_by, StoppedBy::kRuns);
  EXPECT_FALSE(result->complete);
  EXPECT_TRUE(result->found.empty());
}

TEST(ExplorerTest, DfsMakesEveryInterleavingOnceAndSaysComplete) {
  const auto result = Search({}, Options("dfs"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_EQ(result->runs, 6u);
  EXPECT_TRUE(result->complete);
  EXPECT_EQ(result->stopped_by, StoppedBy::kComplete);
}

TEST(ExplorerTest, DfsStartsAnewWhenAScheduleShowsANewPoint) {
  const auto result = Search({"new-site=4"}, Options("dfs"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_EQ(result->runs, 6u);
  EXPECT_GE(result->voided_runs, 1u);
  EXPECT_TRUE(result->complete);
}

TEST(ExplorerTest, TheNumberOfWorkersChangesNothing) {
  ExploreOptions options = Options("random");
  options.keep_going = true;
  options.workers = 1;
  const auto one = Search({"lost-update", "new-site=5"}, options);
  options.workers = 4;
  const auto four = Search({"lost-update", "new-site=5"}, options);

  ASSERT_TRUE(one.ok() && four.ok());
  EXPECT_EQ(one->runs, four->runs);
  EXPECT_EQ(one->events, four->events);
  EXPECT_EQ(one->classes, four->classes);
  ASSERT_EQ(one->found.size(), 1u);
  ASSERT_EQ(four->found.size(), 1u);
  EXPECT_EQ(one->found[0].finding.hits, four->found[0].finding.hits);
  EXPECT_EQ(one->found[0].finding.first_run, four->found[0].finding.first_run);
  EXPECT_EQ(one->found[0].schedule.answers, four->found[0].schedule.answers);
}

TEST(ExplorerTest, AFailureIsReplayedAndDependsOnTheSchedule) {
  const auto result = Search({"lost-update"}, Options("random"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_EQ(result->stopped_by, StoppedBy::kFinding);
  ASSERT_EQ(result->found.size(), 1u);
  const Finding& finding = result->found[0].finding;
  EXPECT_EQ(finding.kind, FindingKind::kAssertion);
  EXPECT_TRUE(finding.replayed);
  EXPECT_TRUE(finding.schedule_dependent);
  EXPECT_EQ(finding.first_run, result->runs);
}

TEST(ExplorerTest, AFailureWithoutAnyPreemptionDoesNotDependOnTheSchedule) {
  const auto result = Search({"assert"}, Options("random"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  ASSERT_EQ(result->found.size(), 1u);
  EXPECT_FALSE(result->found[0].finding.schedule_dependent);
  EXPECT_EQ(result->found[0].finding.first_run, 1u);
}

TEST(ExplorerTest, AFailureThatDoesNotReplayIsReportedAsSuch) {
  const auto result = Search({"lost-update", "unstable"}, Options("random"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  ASSERT_EQ(result->found.size(), 1u);
  EXPECT_FALSE(result->found[0].finding.replayed);
  EXPECT_THAT(result->found[0].finding.replay_note, HasSubstr("counts as a bug of heddle"));
}

TEST(ExplorerTest, AnUnexpectedExitStatusIsAFinding) {
  const auto result = Search({"exit=3"}, Options("random"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  ASSERT_EQ(result->found.size(), 1u);
  EXPECT_EQ(result->found[0].finding.kind, FindingKind::kExit);
  EXPECT_EQ(result->runs, 3u);
}

TEST(ExplorerTest, AnExpectedExitStatusIsNone) {
  ExploreOptions options = Options("random");
  options.runs = 20;
  options.expected_exit = 3;

  const auto result = Search({"exit"}, options);

  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_TRUE(result->found.empty());
  EXPECT_EQ(result->runs, 20u);
}

TEST(ExplorerTest, OutputThatDiffersFromWhatIsExpectedIsAFinding) {
  ExploreOptions options = Options("random");
  options.expected_output = "run 1\n";

  const auto result = Search({"print"}, options);

  ASSERT_TRUE(result.ok()) << result.error().text;
  ASSERT_EQ(result->found.size(), 1u);
  EXPECT_EQ(result->found[0].finding.kind, FindingKind::kOutput);
  EXPECT_EQ(result->runs, 2u);
}

TEST(ExplorerTest, AProgramThatStartsNoThreadIsRunOnce) {
  const auto result = Search({"one-thread"}, Options("random"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_EQ(result->runs, 1u);
  EXPECT_TRUE(result->starts_no_thread);
}

TEST(ExplorerTest, ACrashBeforeMainIsAFinding) {
  const auto result = Search({"crash-at-start"}, Options("random"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  ASSERT_EQ(result->found.size(), 1u);
  EXPECT_EQ(result->found[0].finding.kind, FindingKind::kCrash);
  EXPECT_FALSE(result->found[0].finding.schedule_dependent);
}

TEST(ExplorerTest, ARunThatKeepsKillingItsWorkerEndsTheSearchWithASentence) {
  const auto result = Search({"worker-dies=7"}, Options("random"));

  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().text, HasSubstr("run 7 can't be made"));
  EXPECT_THAT(result.error().text, HasSubstr("exited with status 9"));
}

TEST(ExplorerTest, AFirstRunThatIsKilledAgainAndAgainEndsTheSearchWithASentence) {
  const auto result = Search({"killed-at-once"}, Options("random"));

  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().text, HasSubstr("run 1 can't be made"));
  EXPECT_THAT(result.error().text, HasSubstr("killed by SIGKILL from outside"));
}

TEST(ExplorerTest, ARunThatIsKilledWhenItHasThreadsIsAFinding) {
  const auto result = Search({"killed=1"}, Options("random"));

  ASSERT_TRUE(result.ok()) << result.error().text;
  ASSERT_EQ(result->found.size(), 1u);
  EXPECT_EQ(result->found[0].finding.kind, FindingKind::kCrash);
  EXPECT_FALSE(result->starts_no_thread);
}

TEST(ExplorerTest, AnInterruptedSearchReturnsWhatItHas) {
  ExploreOptions options = Options("random");
  options.runs = 1'000'000'000;

  const auto result = Search({}, options, true);

  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_EQ(result->stopped_by, StoppedBy::kInterrupted);
}

TEST(ExplorerTest, ASearchThatWasInterruptedBehindItsLastRunIsComplete) {
  std::atomic<bool> interrupt = false;
  const auto progress = [&interrupt](const Progress& now) { interrupt = now.runs == 6; };

  const auto result = Explore(FakeProgram({}), Options("dfs"), interrupt, progress);

  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_TRUE(interrupt);
  EXPECT_TRUE(result->complete);
  EXPECT_EQ(result->stopped_by, StoppedBy::kComplete);
}

TEST(ExplorerTest, TheTimeBudgetEndsASearch) {
  ExploreOptions options = Options("random");
  options.runs = 1'000'000'000;
  options.seconds = 0.1;

  // On a busy machine the first run may take longer than that.
  std::uint64_t runs = 0;
  while (runs == 0) {
    options.seconds *= 2;
    const auto result = Search({}, options);
    ASSERT_TRUE(result.ok()) << result.error().text;
    EXPECT_EQ(result->stopped_by, StoppedBy::kTime);
    runs = result->runs;
  }

  EXPECT_LT(runs, options.runs);
}

}  // namespace
}  // namespace heddle
