#include "report/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

#include "report/failure_text.h"
#include "report/sighting_text.h"
#include "report/testing/example_runs.h"
#include "report/testing/trace_builder.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Finding Build(TraceBuilder run, const FindingContext& context = ExampleContext("program")) {
  return BuildFinding(run.Trace(), run.symbols(), context);
}

const Step* FindStep(const Finding& finding, OpKind kind, ThreadId thread) {
  for (const Step& step : finding.steps) {
    if (step.kind == kind && step.thread == thread) return &step;
  }
  return nullptr;
}

TEST(FindingTest, AnAssertionTellsExpressionPlaceAndThread) {
  const Finding finding = Build(LostUpdate());

  EXPECT_EQ(finding.kind, FindingKind::kAssertion);
  EXPECT_EQ(finding.message,
            "assertion `counter == 2` failed in main at lost_update.cpp:16, thread main");
  EXPECT_THAT(finding.sites,
              ElementsAre(FindingSite{"lost_update.cpp", 16, "main", "assert(counter == 2);"}));
}

TEST(FindingTest, StepsNameObjectsValuesAndPlaces) {
  const Finding finding = Build(LostUpdate());

  const Step* const write = FindStep(finding, OpKind::kWrite, 2);
  ASSERT_NE(write, nullptr);
  EXPECT_EQ(write->object, "counter");
  EXPECT_EQ(write->value, "= 1");
  EXPECT_EQ(write->file, "/work/lost_update.cpp");
  EXPECT_EQ(write->line, 8);
  EXPECT_EQ(write->function, "worker");
  EXPECT_TRUE(finding.steps.back().is_failure);
}

TEST(FindingTest, SwitchesCarryTheirReason) {
  const Finding finding = Build(LostUpdate());

  const Step* const first = FindStep(finding, OpKind::kRead, 1);
  const Step* const second = FindStep(finding, OpKind::kRead, 2);
  const Step* const third = FindStep(finding, OpKind::kWrite, 1);
  ASSERT_TRUE(first != nullptr && second != nullptr && third != nullptr);
  EXPECT_EQ(first->reason, SwitchReason::kBlocked);
  EXPECT_EQ(first->reason_detail, "T1 to end");
  EXPECT_EQ(second->reason, SwitchReason::kPreempted);
  EXPECT_EQ(second->from, 1);
  EXPECT_EQ(third->reason, SwitchReason::kExited);
}

TEST(FindingTest, ATimeoutThatWasChosenIsTheReasonOfItsSwitch) {
  TraceBuilder run;
  const ObjectId m = run.Mutex("m");
  const ThreadId t1 = run.Create(0, {"a.cpp", 1, "worker"}, {"a.cpp", 9, "main"});
  run.Decide(DecisionKind::kThread, 0, t1, true).outcome = Outcome::kTimeout;
  run.Do(t1, OpKind::kLock, m, {"a.cpp", 2, "worker"}).flags = Event::kTimedOut;
  run.ExitWith(1);

  const Finding finding = Build(run);

  const Step* const lock = FindStep(finding, OpKind::kLock, t1);
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ(lock->reason, SwitchReason::kTimeout);
  EXPECT_EQ(lock->value, "timed out");
}

TEST(FindingTest, FloatingPointIsShownAsSuch) {
  TraceBuilder run;
  const ObjectId ratio = run.Memory("ratio");
  run.symbols().AddFloatingPoint(run.Trace().objects[ratio].address);
  run.Access(0, OpKind::kWrite, ratio, 0x42c60000, {"a.cpp", 2, "main"}).size = 4;
  run.Access(0, OpKind::kRead, ratio, 0x3fe0000000000000, {"a.cpp", 3, "main"}).size = 8;
  run.ExitWith(1);

  const Finding finding = Build(run);

  EXPECT_EQ(finding.steps[0].value, "= 99");
  EXPECT_EQ(finding.steps[1].value, "= 0.5");
}

TEST(FindingTest, ThreadsAreNamedByPathNumberAndFunction) {
  const Finding finding = Build(LostUpdate());

  ASSERT_THAT(finding.threads, SizeIs(3));
  EXPECT_EQ(finding.threads[0].path, "0");
  EXPECT_EQ(finding.threads[2].path, "0.2");
  EXPECT_EQ(finding.threads[2].name, "T2");
  EXPECT_EQ(finding.threads[2].label, "worker");
  EXPECT_TRUE(finding.threads[2].ended);
}

TEST(FindingTest, ADeadlockTellsWhoWaitsForWhatHeldByWhom) {
  const Finding finding = Build(Abba());

  EXPECT_EQ(finding.kind, FindingKind::kDeadlock);
  EXPECT_EQ(finding.message, "T1 waits for mutex b, held by T2; T2 waits for mutex a, held by T1");
  EXPECT_THAT(finding.sites, SizeIs(2));
  for (const FindingThread& thread : finding.threads) EXPECT_FALSE(thread.stack.empty());
}

TEST(FindingTest, ALockGivenUpByAWaitIsFree) {
  TraceBuilder run = LostWakeUp();
  run.Pending(0, OpKind::kLock, 1, false, {"wakeup.cpp", 30, "main"});

  const Finding finding = Build(run);

  EXPECT_EQ(finding.threads[0].state, "waits for mutex m");
  EXPECT_EQ(finding.threads[1].state, "waits for condition ready to be signalled");
}

TEST(FindingTest, AThreadThatLocksTwiceWaitsForItself) {
  TraceBuilder run;
  const ObjectId m = run.Mutex("m");
  run.Do(0, OpKind::kLock, m, {"a.cpp", 1, "main"});
  run.Pending(0, OpKind::kLock, m, false, {"a.cpp", 2, "main"});
  run.Deadlock({0});

  EXPECT_EQ(Build(run).message, "main waits for mutex m, held by itself");
}

TEST(FindingTest, ASignalThatReachesNobodySaysSo) {
  TraceBuilder run;
  const ObjectId ready = run.Condition("ready");
  Event& signal = run.Do(0, OpKind::kSignal, ready, {"a.cpp", 1, "main"});
  signal.flags = Event::kHasValue;
  run.ExitWith(1);

  EXPECT_EQ(Build(run).steps.front().note, "nobody waits");
}

TEST(FindingTest, AChosenWaiterIsTold) {
  TraceBuilder run;
  const ObjectId ready = run.Condition("ready");
  const ThreadId t1 = run.Create(0, {"a.cpp", 1, "w"}, {"a.cpp", 9, "main"});
  const ThreadId t2 = run.Create(0, {"a.cpp", 1, "w"}, {"a.cpp", 9, "main"});
  run.Do(0, OpKind::kSignal, ready, {"a.cpp", 10, "main"}).other = t2;
  run.Decide(DecisionKind::kWaiter, 0, t2, false).options = 2;
  run.Do(t2, OpKind::kLock, run.Mutex("m"), {"a.cpp", 2, "w"});
  run.ExitWith(1);

  const Finding finding = Build(run);

  const Step* const signal = FindStep(finding, OpKind::kSignal, 0);
  ASSERT_NE(signal, nullptr);
  EXPECT_EQ(signal->note, "wakes T2, chosen of 2 waiters");
  (void)t1;
}

TEST(FindingTest, ACrashTellsSignalAddressAndPlace) {
  const Finding finding = Build(LongStretch());

  EXPECT_EQ(finding.kind, FindingKind::kCrash);
  EXPECT_EQ(finding.message,
            "SIGSEGV, null pointer + 8 in Consumer::Pop at queue.cpp:34, thread T1");
}

TEST(FindingTest, AnExceptionTellsTypeAndText) {
  TraceBuilder run;
  run.Crash(0, SIGABRT, 0, {"a.cpp", 7, "main"});
  run.failure.kind = FailureKind::kException;
  std::strcpy(run.failure.message, "St13runtime_error");
  FindingContext context = ExampleContext("program");
  EXPECT_EQ(Build(run, context).message, "uncaught std::runtime_error in main at a.cpp:7");

  context.output =
      "hello\nterminate called after throwing an instance of 'std::runtime_error'\n"
      "  what():  queue is empty\n";

  EXPECT_EQ(Build(run, context).message,
            "uncaught std::runtime_error: queue is empty in main at a.cpp:7");
}

TEST(FindingTest, AWrongExitStatusTellsWhatWasExpected) {
  const Finding finding = Build(Spinning());

  EXPECT_EQ(finding.kind, FindingKind::kExit);
  EXPECT_EQ(finding.message, "exit status 3 instead of 0");
  EXPECT_THAT(finding.sites, IsEmpty());
}

TEST(FindingTest, ADeathWithoutAWordIsACrash) {
  TraceBuilder run;
  run.record.outcome = RunOutcome::kNone;
  run.record.signal = SIGKILL;

  const Finding finding = Build(run);

  EXPECT_EQ(finding.kind, FindingKind::kCrash);
  EXPECT_EQ(finding.message, "killed by SIGKILL");
}

TEST(FindingTest, TheFingerprintIgnoresLinesRunsAndThreadsButNotThePlace) {
  const Finding original = Build(LostUpdate());
  FindingContext later = ExampleContext("program");
  later.first_run = 99;

  TraceBuilder moved;
  moved.Assert(0, "counter == 2", {"lost_update.cpp", 40, "main", "assert(counter == 2);"});
  TraceBuilder elsewhere;
  elsewhere.Assert(0, "counter == 2", {"lost_update.cpp", 16, "main", "assert(counter  ==  3);"});

  EXPECT_EQ(Build(moved, later).fingerprint, original.fingerprint);
  EXPECT_NE(Build(elsewhere).fingerprint, original.fingerprint);
  EXPECT_EQ(Build(LostUpdate(), ExampleContext("renamed")).fingerprint, original.fingerprint);
}

TEST(FindingTest, TheFingerprintNeedsNoEvents) {
  for (TraceBuilder run : {LostUpdate(), Abba(), LongStretch(), Spinning()}) {
    const RunTrace trace = run.Trace();
    const FindingContext context = ExampleContext("program");
    RunTrace without = trace;
    without.events = {};
    without.event_stacks = {};
    EXPECT_EQ(FingerprintOf(without, run.symbols(), context),
              BuildFinding(trace, run.symbols(), context).fingerprint);
  }
}

TEST(FindingTest, ADeadlockHasTheSameFingerprintWhoeverCameLast) {
  TraceBuilder one = Abba(), other = Abba();
  one.Deadlock({1, 2});
  other.Deadlock({2, 1});

  EXPECT_EQ(Build(one).fingerprint, Build(other).fingerprint);
}

// Two threads in one loop, and main, which waits for the first or the second.
Finding Livelock(int line_of_join, int line_of_second) {
  TraceBuilder run;
  const ObjectId flag = run.Memory("flag");
  const Line main = {"a.cpp", line_of_join, "main"};
  const ThreadId one = run.Create(0, {"a.cpp", 1, "Spin"}, {"a.cpp", 9, "main"});
  const ThreadId other = run.Create(0, {"a.cpp", 1, "Spin"}, {"a.cpp", 9, "main"});
  run.Pending(0, OpKind::kJoin, run.ObjectOf(one), false, main);
  run.Pending(one, OpKind::kAtomicLoad, flag, false, {"a.cpp", 2, "Spin"});
  run.Pending(other, OpKind::kYield, kNoObject, false, {"a.cpp", line_of_second, "Spin"});
  run.record.outcome = RunOutcome::kFailed;
  run.failure.kind = FailureKind::kLivelock;
  run.failure.thread = one;
  return Build(run);
}

TEST(FindingTest, ALivelockIsTheSameWhereverItsThreadsAreInTheLoop) {
  const Finding finding = Livelock(10, 2);

  EXPECT_EQ(finding.fingerprint, Livelock(11, 3).fingerprint);
  ASSERT_THAT(finding.sites, SizeIs(1));  // main is in no loop
  EXPECT_EQ(finding.sites[0].function, "Spin");
}

TEST(FindingTest, OfAVeryLongRunWhatLiesNearSwitchesIsKept) {
  TraceBuilder run;
  const ObjectId x = run.Memory("x");
  const ThreadId t1 = run.Create(0, {"a.cpp", 2, "w"}, {"a.cpp", 1, "main"});
  for (int i = 0; i < 9998; ++i) {
    const ThreadId thread = i / 1000 % 2 == 0 ? ThreadId{0} : t1;
    run.Access(thread, OpKind::kWrite, x, 1, {"a.cpp", 3, "w"});
  }
  run.ExitWith(1);

  const Finding finding = Build(run);

  EXPECT_LE(finding.steps.size(), 300u);
  EXPECT_EQ(finding.steps.front().number, 1u);
  EXPECT_EQ(finding.steps[finding.steps.size() - 2].number, 9999u);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < finding.steps.size(); ++i) {
    const Step& step = finding.steps[i];
    if (step.thread == finding.steps[i - 1].thread) continue;
    ++changes;
    EXPECT_TRUE(step.is_failure || step.number == finding.steps[i - 1].number + 1);
  }
  EXPECT_EQ(changes, 10u);
}

// More switches than steps may be kept.
TEST(FindingTest, OfAnExtremelyLongRunTheBeginningAndTheEndAreKept) {
  TraceBuilder run;
  const ObjectId x = run.Memory("x");
  const ThreadId t1 = run.Create(0, {"a.cpp", 2, "w"}, {"a.cpp", 1, "main"});
  for (int i = 0; i < 9999; ++i) {
    run.Access(i % 2 == 0 ? ThreadId{0} : t1, OpKind::kWrite, x, 1, {"a.cpp", 3, "w"});
  }
  run.ExitWith(1);

  const Finding finding = Build(run);

  EXPECT_LE(finding.steps.size(), 4001u);
  EXPECT_GE(finding.steps.size(), 3990u);
  EXPECT_EQ(finding.steps.front().number, 1u);
  EXPECT_EQ(finding.steps[finding.steps.size() - 2].number, 10000u);
}

TEST(FindingTest, ARunWithoutAnyRecordsIsStillAFinding) {
  TraceBuilder run;
  RunTrace trace;
  trace.record.outcome = RunOutcome::kFailed;
  trace.failure.kind = FailureKind::kWatchdog;

  const Finding finding = BuildFinding(trace, run.symbols(), FindingContext());

  EXPECT_EQ(finding.kind, FindingKind::kLivelock);
  EXPECT_THAT(finding.message, HasSubstr("watchdog"));
}

TEST(TerminateMessageTest, TheLastOneCounts) {
  const std::string output =
      "terminate called after throwing an instance of 'int'\n"
      "terminate called after throwing an instance of 'ns::Box<int>'\n";
  EXPECT_EQ(ParseTerminateMessage(output), (ThrownException{"ns::Box<int>", ""}));
  EXPECT_EQ(ParseTerminateMessage("all is well"), ThrownException());
}

TEST(FindingKindTest, EveryKindHasItsName) {
  EXPECT_EQ(InfoOf(FindingKind::kUseAfterFree).name, "use-after-free");
  EXPECT_EQ(InfoOf(FindingKind::kLockOrder).severity, Severity::kWarning);
  EXPECT_EQ(FindingKindByName("race"), FindingKind::kRace);
  EXPECT_FALSE(FindingKindByName("nonsense").has_value());
}

TEST(UnseenLibraryTest, IsALibraryInTheMiddleOfTheStackThatIsNotInstrumented) {
  const std::vector<std::string> modules = {"libpool.so.1"};
  const Frame user{.function = "f", .file = "", .module = "/bin/app"};
  const Frame worker{
      .function = "g", .file = "", .module = "/usr/lib/libpool.so.1", .is_system = true};
  const Frame start{
      .function = "start_thread", .file = "", .module = "/lib/libc.so.6", .is_system = true};

  EXPECT_EQ(UnseenLibrary({user, user, start}, modules), "");
  EXPECT_EQ(UnseenLibrary({user, worker, start}, modules), "");
  EXPECT_EQ(UnseenLibrary({user, worker, worker, start}, modules), "libpool.so.1");
  EXPECT_EQ(UnseenLibrary({user, worker, user, start}, modules), "libpool.so.1");
}

}  // namespace
}  // namespace heddle
