#include "report/schedule_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/hash.h"
#include "report/testing/example_runs.h"
#include "report/words.h"
#include "trace/input_log.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Line kWorkerLine = {"lost_update.cpp", 8, "worker"};

Schedule ScheduleOf(TraceBuilder* run) {
  const RunTrace trace = run->Trace();
  const Finding finding = BuildFinding(trace, run->symbols(), ExampleContext("lost_update"));
  const std::vector<SiteRef> points = {*run->symbols().SiteOf(run->AddressOf(kWorkerLine))};
  return MakeSchedule(trace, run->symbols(), points, finding);
}

std::string ErrorOf(const std::string& text) {
  const Result<Schedule> schedule = ParseSchedule(text, "x.heddle");
  return schedule.ok() ? "" : schedule.error().text;
}

// With a checksum that fits.
std::string Sealed(const std::string& body) {
  return body + "checksum " + Hexadecimal(HashText(body)) + "\n";
}

TEST(ScheduleTest, OnlySwitchesAreListed) {
  TraceBuilder run = LostUpdate();

  const Schedule schedule = ScheduleOf(&run);

  ASSERT_THAT(schedule.switches, SizeIs(2));
  const ScheduleSwitch& blocked = schedule.switches[0];
  EXPECT_TRUE(blocked.forced);
  EXPECT_EQ(blocked.from, "0");
  EXPECT_EQ(blocked.to, "0.1");
  const ScheduleSwitch& preemption = schedule.switches[1];
  EXPECT_FALSE(preemption.forced);
  EXPECT_EQ(preemption.from, "0.1");
  EXPECT_EQ(preemption.to, "0.2");
  EXPECT_EQ(preemption.kind, OpKind::kWrite);
  EXPECT_EQ(preemption.occurrence, 1u);
  EXPECT_EQ(preemption.where.function, "worker");
  EXPECT_EQ(preemption.where.line_hash, LineHash("counter = counter + 1;"));
  EXPECT_EQ(preemption.where.line, 8);
  EXPECT_THAT(schedule.answers, SizeIs(3));
}

TEST(ScheduleTest, OccurrencesCountOperationsOfTheThreadOnLinesOfThatText) {
  TraceBuilder run;
  const ObjectId x = run.Memory("x");
  const Line first = {"a.cpp", 3, "loop", "x = 1;"}, twin = {"a.cpp", 7, "loop", "  x  = 1;"};
  const ThreadId t1 = run.Create(0, {"a.cpp", 2, "loop"}, {"a.cpp", 20, "main"});
  run.Access(0, OpKind::kWrite, x, 1, first);  // another thread: does not count
  run.Access(t1, OpKind::kWrite, x, 1, first);
  run.Access(t1, OpKind::kRead, x, 1, first);  // another kind: does not count
  run.Access(t1, OpKind::kWrite, x, 1, twin);
  run.Preempt(t1, 0);
  run.Do(0, OpKind::kYield, kNoObject, {"a.cpp", 21, "main"});
  run.Access(t1, OpKind::kWrite, x, 1, first);
  run.ExitWith(1);

  const Schedule schedule = ScheduleOf(&run);

  ASSERT_THAT(schedule.switches, SizeIs(1));
  EXPECT_EQ(schedule.switches[0].occurrence, 3u);
}

TEST(ScheduleTest, AThreadThatNeverWentOnIsAnchoredToWhatItWasAboutToDo) {
  TraceBuilder run = Abba();

  const Schedule schedule = ScheduleOf(&run);

  ASSERT_THAT(schedule.switches, SizeIs(2));
  EXPECT_EQ(schedule.switches[1].kind, OpKind::kLock);
  EXPECT_EQ(schedule.switches[1].where.line, 7);
}

TEST(ScheduleTest, AChosenWaiterIsAnchoredToTheSignal) {
  TraceBuilder run;
  const ObjectId ready = run.Condition("ready");
  run.Create(0, {"a.cpp", 1, "w"}, {"a.cpp", 9, "main"});
  const ThreadId t2 = run.Create(0, {"a.cpp", 1, "w"}, {"a.cpp", 9, "main"});
  run.Do(0, OpKind::kSignal, ready, {"a.cpp", 10, "main", "ready.notify_one();"});
  run.Decide(DecisionKind::kWaiter, 0, t2, false);  // the signal is recorded already
  run.Do(0, OpKind::kYield, kNoObject, {"a.cpp", 11, "main"});
  run.ExitWith(1);

  const Schedule schedule = ScheduleOf(&run);

  ASSERT_THAT(schedule.switches, SizeIs(1));
  EXPECT_EQ(schedule.switches[0].decision, DecisionKind::kWaiter);
  EXPECT_EQ(schedule.switches[0].kind, OpKind::kSignal);
  EXPECT_EQ(schedule.switches[0].occurrence, 1u);
  EXPECT_EQ(schedule.switches[0].to, "0.2");
}

TEST(ScheduleTest, WhatIsWrittenIsReadBack) {
  TraceBuilder run = LostUpdate();
  Schedule schedule = ScheduleOf(&run);
  schedule.arguments = {"--size", "", "two words", "say \"hi\"\n"};
  schedule.switches[1].outcome = Outcome::kTimeout;
  schedule.switches[1].where.function = "Queue<int, 4>::Push";
  schedule.switches[0].decision = DecisionKind::kWaiter;
  schedule.switches[0].forced = false;
  schedule.answers.assign(5000, Answer{1, 3});
  for (std::uint16_t i = 0; i < 300; ++i) schedule.answers.push_back({i, 301});

  const Result<Schedule> read = ParseSchedule(FormatSchedule(schedule), "x.heddle");

  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(*read, schedule);
}

TEST(ScheduleTest, WhatCameFromOutsideIsReadBackToTheLastByte) {
  TraceBuilder run = LostUpdate();
  Schedule schedule = ScheduleOf(&run);
  std::string bytes = "GET \"/\\ \r\n";
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const InputEntry& one :
       {InputEntry{.stream = 7, .result = 1, .count = 3, .kind = InputKind::kReady},
        InputEntry{.stream = 9,
        .result = static_cast<std::int64_t>(bytes.size()),
        .size = static_cast<std::uint32_t>(bytes.size()),
        .kind = InputKind::kReceive},
        InputEntry{.stream = 9, .result = -1, .error = 11, .kind = InputKind::kReceive}}) {
    const std::size_t at = schedule.input.size();
    schedule.input.resize(at + InputSize(one), 0);
    std::memcpy(schedule.input.data() + at, &one, sizeof one);
    std::memcpy(schedule.input.data() + at + sizeof one, bytes.data(), one.size);
  }
  schedule.input_missing = 1234;

  const std::string text = FormatSchedule(schedule);
  const Result<Schedule> read = ParseSchedule(text, "x.heddle");

  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->input, schedule.input);
  EXPECT_EQ(read->input_missing, 1234u);
  EXPECT_THAT(text, HasSubstr("input ready 0000000000000007 1 0 x3\n"));
}

TEST(ScheduleTest, LineEndingsOfOtherSystemsDoNoHarm) {
  TraceBuilder run = LostUpdate();
  const Schedule schedule = ScheduleOf(&run);
  std::string text;
  for (const char c : FormatSchedule(schedule)) text += c == '\n' ? "\r\n" : std::string(1, c);

  const Result<Schedule> read = ParseSchedule(text, "x.heddle");

  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(*read, schedule);
}

TEST(ScheduleTest, AForeignFileIsNamedAsSuch) {
  EXPECT_EQ(ErrorOf("#include <stdio.h>\n"),
            "x.heddle:1: not a heddle schedule (it would begin with `heddle schedule 1`)");
  EXPECT_THAT(ErrorOf(""), HasSubstr("not a heddle schedule"));
}

TEST(ScheduleTest, ANewerFileSaysWhatToDo) {
  EXPECT_EQ(ErrorOf("heddle schedule 9\nwhatever\n"),
            "x.heddle:1: schedule version 9, this heddle reads 1; record the run again");
}

TEST(ScheduleTest, AChangedOrCutFileIsNoticed) {
  TraceBuilder run = LostUpdate();
  const std::string text = FormatSchedule(ScheduleOf(&run));
  std::string changed = text;
  changed[changed.find("seed 1") + 5] = '2';

  EXPECT_THAT(ErrorOf(changed), HasSubstr("checksum does not fit"));
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_NE(ErrorOf(text.substr(0, size)), "") << size;
  }
}

TEST(ScheduleTest, ALineThatMakesNoSenseIsNamedByNumber) {
  const char* const lines[] = {
      "colour blue",
      "seed one",
      "seed 1 2",
      "points some",
      "answers 2:2",
      "answers 2",
      "answers 2:1x99999999",
      "point program f zz read a.cpp:1 +0x1",
      "point program f 00 read a.cpp +0x1",
      "switch 0 read program f 00 #1 a.cpp:1 -> 1",
      "switch 0 read program f 00 #1 a.cpp:1 to 0.1",
      "switch 0 dance program f 00 #1 a.cpp:1 -> 0.1",
      "program \"unclosed",
  };
  for (const std::string line : lines) {
    const std::string error = ErrorOf(Sealed("heddle schedule 1\nrun 1\n" + line + "\n"));
    EXPECT_THAT(error, HasSubstr("x.heddle:3: ")) << line;
    EXPECT_THAT(error, HasSubstr("record the run again")) << line;
  }
}

TEST(ResolveTest, TheSameBuildReplaysItsAnswers) {
  TraceBuilder run = LostUpdate();
  Schedule schedule = ScheduleOf(&run);
  run.symbols().SetBuildId({0x0b, 0xad, 0xc0, 0xde});

  const Result<ResolvedSchedule> resolved = Resolve(schedule, run.symbols());

  ASSERT_TRUE(resolved.ok());
  EXPECT_TRUE(resolved->same_build);
  EXPECT_EQ(resolved->answers, schedule.answers);
  ASSERT_THAT(resolved->sites, SizeIs(1));
  EXPECT_EQ(resolved->sites[0].offset, schedule.point_set[0].offset);
}

TEST(ResolveTest, AnotherBuildIsReplayedByAnchors) {
  TraceBuilder run = LostUpdate();
  const Schedule schedule = ScheduleOf(&run);
  TraceBuilder rebuilt;  // a line was inserted above
  const std::uint64_t moved =
      rebuilt.AddressOf({"lost_update.cpp", 9, "worker", "counter = counter + 1;"});

  const Result<ResolvedSchedule> resolved = Resolve(schedule, rebuilt.symbols());

  ASSERT_TRUE(resolved.ok());
  EXPECT_FALSE(resolved->same_build);
  EXPECT_THAT(resolved->unresolved, IsEmpty());
  EXPECT_EQ(resolved->point_ranges, 1u);
  ASSERT_THAT(resolved->anchors, SizeIs(2));
  EXPECT_EQ(resolved->anchors[0].range_count, 0u);  // when main can't go on
  const AnchorRecord& anchor = resolved->anchors[1];
  EXPECT_EQ(anchor.from_path, *PathHash("0.1"));
  EXPECT_EQ(anchor.to_path, *PathHash("0.2"));
  EXPECT_EQ(anchor.kind, OpKind::kWrite);
  EXPECT_EQ(anchor.occurrence, 1u);
  ASSERT_EQ(anchor.range_count, 1u);
  const CodeRange& range = resolved->ranges[anchor.first_range];
  const std::uint32_t offset = rebuilt.symbols().SiteOf(moved)->offset;
  EXPECT_TRUE(range.begin < offset && offset <= range.end);
}

TEST(ResolveTest, LinesThatAreGoneAreListed) {
  TraceBuilder run = LostUpdate();
  TraceBuilder rewritten;

  const Result<ResolvedSchedule> resolved = Resolve(ScheduleOf(&run), rewritten.symbols());

  ASSERT_TRUE(resolved.ok());
  EXPECT_THAT(resolved->unresolved, ::testing::ElementsAre("worker lost_update.cpp:8"));
  EXPECT_THAT(resolved->anchors, SizeIs(1));
}

TEST(ThreadPathTest, PathsAndHashesAgree) {
  EXPECT_EQ(PathHash("0"), kMainPathHash);
  EXPECT_EQ(PathHash("0.2.1"), ChildPathHash(ChildPathHash(kMainPathHash, 2), 1));
  EXPECT_FALSE(PathHash("").has_value());
  EXPECT_FALSE(PathHash("1").has_value());
  EXPECT_FALSE(PathHash("0.").has_value());
  EXPECT_FALSE(PathHash("0.0").has_value());
  EXPECT_FALSE(PathHash("0.1x").has_value());
}

}  // namespace
}  // namespace heddle
