#include "explore/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "explore/testing/fake_program.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

WorkerOptions SmallOptions() {
  WorkerOptions options;
  options.max_events = 1000;
  options.temporary = ::testing::TempDir() + "/heddle-worker-test-" + std::to_string(getpid());
  return options;
}

Plan RandomPlan(std::uint64_t run) {
  Plan plan;
  plan.run = run;
  plan.policy = "random";
  return plan;
}

std::unique_ptr<WorkerProcess> StartFake(std::vector<std::string> modes,
                                         WorkerOptions options = SmallOptions()) {
  auto worker = WorkerProcess::Start(FakeProgram(std::move(modes)), options);
  EXPECT_TRUE(worker.ok()) << worker.error().text;
  return worker.ok() ? std::move(*worker) : nullptr;
}

TEST(WorkerTest, ABatchOfPassingRunsComesBackWhole) {
  const auto worker = StartFake({});
  const Plan plan = RandomPlan(1);

  const Reply reply = worker->Run({.plan = &plan, .runs = 20});

  ASSERT_EQ(reply.kind, Reply::Kind::kDone);
  ASSERT_EQ(reply.records.size(), 20u);
  EXPECT_EQ(reply.records.back().run, 20u);
  EXPECT_EQ(reply.records.back().events, 4u);
  EXPECT_FALSE(reply.trace.has_value());
  ASSERT_EQ(worker->modules().size(), 1u);
  EXPECT_STREQ(worker->modules()[0].path, "/fake/program");
}

TEST(WorkerTest, AWantedTraceHoldsDecisionsAndEvents) {
  const auto worker = StartFake({});
  const Plan plan = RandomPlan(1);

  const Reply reply = worker->Run({.plan = &plan, .want_events = true});

  ASSERT_TRUE(reply.trace.has_value());
  EXPECT_EQ(reply.trace->events.size(), 4u);
  EXPECT_EQ(reply.trace->threads.size(), 3u);
  EXPECT_EQ(AnswersOf(reply.trace->View()).size(), reply.trace->record.decisions);
}

TEST(WorkerTest, ABatchEndsAtTheRunThatFailsAndItsTraceComesBack) {
  const auto worker = StartFake({"assert=3", "print"});
  const Plan plan = RandomPlan(1);

  const Reply reply = worker->Run({.plan = &plan, .runs = 20});

  ASSERT_EQ(reply.records.size(), 3u);
  ASSERT_TRUE(reply.trace.has_value());
  EXPECT_EQ(reply.trace->failure.kind, FailureKind::kAssertion);
  EXPECT_STREQ(reply.trace->failure.message, "counter == 2");
  EXPECT_EQ(reply.output, "run 3\n");
}

TEST(WorkerTest, ACrashOfARunIsNotTheEndOfTheWorker) {
  const auto worker = StartFake({"crash=1"});
  const Plan first = RandomPlan(1);
  const Plan second = RandomPlan(2);

  const Reply crashed = worker->Run({.plan = &first});
  const Reply passed = worker->Run({.plan = &second});

  EXPECT_EQ(crashed.records.back().failure, FailureKind::kCrash);
  EXPECT_EQ(crashed.trace->failure.signal, SIGSEGV);
  EXPECT_EQ(passed.records.back().outcome, RunOutcome::kExited);
}

TEST(WorkerTest, AHungRunIsEndedAndTheNextOneWorks) {
  WorkerOptions options = SmallOptions();
  options.hang_seconds = 2;  // the next one may be slow
  const auto worker = StartFake({"hang=1"}, options);
  const Plan first = RandomPlan(1);
  const Plan second = RandomPlan(2);

  const Reply hung = worker->Run({.plan = &first});
  const Reply passed = worker->Run({.plan = &second});

  ASSERT_EQ(hung.kind, Reply::Kind::kDone);
  EXPECT_EQ(hung.records.back().failure, FailureKind::kWatchdog);
  EXPECT_EQ(hung.trace->failure.kind, FailureKind::kWatchdog);
  EXPECT_EQ(passed.records.back().outcome, RunOutcome::kExited);
}

TEST(WorkerTest, AHungRunThatIgnoresTheRequestForItsStacksIsKilled) {
  WorkerOptions options = SmallOptions();
  options.hang_seconds = 2;
  const auto worker = StartFake({"hang", "ignore-dump"}, options);
  const Plan plan = RandomPlan(1);

  const Reply hung = worker->Run({.plan = &plan});

  ASSERT_EQ(hung.kind, Reply::Kind::kDone);
  EXPECT_EQ(hung.records.back().failure, FailureKind::kWatchdog);
  EXPECT_EQ(hung.records.back().signal, SIGKILL);
}

TEST(WorkerTest, ARunThatGrowsOverTheMemoryLimitIsEnded) {
  WorkerOptions options = SmallOptions();
  options.memory_bytes = 32u << 20;
  const auto worker = StartFake({"grow"}, options);
  const Plan plan = RandomPlan(1);

  const Reply grown = worker->Run({.plan = &plan});

  ASSERT_EQ(grown.kind, Reply::Kind::kDone);
  EXPECT_EQ(grown.records.back().failure, FailureKind::kMemoryLimit);
}

TEST(WorkerTest, AWorkerThatDiesInTheMiddleSaysHow) {
  const auto worker = StartFake({"worker-dies=2"});
  const Plan plan = RandomPlan(1);

  const Reply reply = worker->Run({.plan = &plan, .runs = 4});

  EXPECT_EQ(reply.kind, Reply::Kind::kDied);
  EXPECT_THAT(reply.text, HasSubstr("exited with status 9"));
  ASSERT_TRUE(worker->death().has_value());
}

TEST(WorkerTest, ARunThatIsKilledBeforeItHasThreadsIsNone) {
  const auto worker = StartFake({"killed-at-once"});
  const Plan plan = RandomPlan(1);

  const Reply reply = worker->Run({.plan = &plan});

  EXPECT_EQ(reply.kind, Reply::Kind::kDied);
  EXPECT_THAT(reply.text, HasSubstr("was killed by SIGKILL from outside"));
}

TEST(WorkerTest, DamageToTheSharedMemoryIsNoticed) {
  for (const char* mode : {"scribble-magic", "scribble-counts", "scribble-records"}) {
    const auto worker = StartFake({mode});
    const Plan plan = RandomPlan(1);

    const Reply reply = worker->Run({.plan = &plan, .want_events = true});

    EXPECT_EQ(reply.kind, Reply::Kind::kDamaged) << mode;
    EXPECT_THAT(reply.text, HasSubstr("is damaged")) << mode;
  }
}

TEST(WorkerTest, ACrashBeforeMainIsADeathAndNotAnError) {
  const auto worker = WorkerProcess::Start(FakeProgram({"crash-at-start"}), SmallOptions());

  ASSERT_TRUE(worker.ok());
  ASSERT_TRUE((*worker)->death().has_value());
  EXPECT_EQ((*worker)->death()->signal, SIGSEGV);
  EXPECT_EQ(Describe(*(*worker)->death()), "was killed by SIGSEGV");
}

TEST(WorkerTest, AnExitBeforeMainIsADeathWithItsStatus) {
  const auto worker = WorkerProcess::Start(FakeProgram({"exit-before-main"}), SmallOptions());

  ASSERT_TRUE(worker.ok());
  ASSERT_TRUE((*worker)->death().has_value());
  EXPECT_EQ((*worker)->death()->status, 5);
}

TEST(WorkerTest, AProgramThatNeverLoadsTheRuntimeIsAnErrorWithWhatItSaid) {
  const auto worker = WorkerProcess::Start(FakeProgram({"never-attach"}), SmallOptions());

  ASSERT_FALSE(worker.ok());
  EXPECT_THAT(worker.error().text, HasSubstr("without having loaded heddle's runtime"));
  EXPECT_THAT(worker.error().text, HasSubstr("hello from outside"));
}

TEST(WorkerTest, AProgramThatNeverGetsToMainIsAnError) {
  WorkerOptions options = SmallOptions();
  options.hang_seconds = 0.1;

  const auto worker = WorkerProcess::Start(FakeProgram({"hang-at-start"}), options);

  ASSERT_FALSE(worker.ok());
  EXPECT_THAT(worker.error().text, HasSubstr("did not get to main"));
}

TEST(WorkerTest, ARaisedStopFlagEndsALongRun) {
  const auto worker = StartFake({"hang"});
  const Plan plan = RandomPlan(1);
  const std::atomic<bool> stop = true;

  const Reply reply = worker->Run({.plan = &plan}, &stop);

  EXPECT_EQ(reply.kind, Reply::Kind::kStopped);
}

TEST(WorkerTest, OutputIsBounded) {
  const auto worker = StartFake({"flood", "assert"});
  const Plan plan = RandomPlan(1);

  const Reply reply = worker->Run({.plan = &plan});

  EXPECT_LT(reply.output.size(), 300u << 10);
  EXPECT_THAT(reply.output, HasSubstr("bytes left out"));
}

TEST(WorkerTest, TheWorkerDiesWithTheThreadThatStartedIt) {
  pid_t pid = -1;
  std::thread starter([&pid] {
    const auto worker = StartFake({});
    pid = worker->pid();
  });
  starter.join();

  // Reaped by the destructor: nothing of that number is our child any more.
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), -1);
}

// The controller is killed without a chance to clean up: its workers must follow by themselves.
TEST(WorkerTest, TheWorkerDiesWithAKilledController) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t controller = fork();
  if (controller == 0) {
    const auto worker = StartFake({});
    const pid_t pid = worker->pid();
    (void)!write(ends[1], &pid, sizeof pid);
    pause();
  }
  pid_t worker = -1;
  ASSERT_EQ(read(ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));

  kill(controller, SIGKILL);
  waitpid(controller, nullptr, 0);

  const double limit = MonotonicSeconds() + 300;
  bool gone = false;
  while (!gone && MonotonicSeconds() < limit) {
    std::ifstream stat("/proc/" + std::to_string(worker) + "/stat");
    std::string pid, name, state;
    gone = !(stat >> pid >> name >> state) || state == "Z";
  }
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace heddle
