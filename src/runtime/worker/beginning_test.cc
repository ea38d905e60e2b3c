#include "runtime/worker/beginning.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <new>

namespace heddle {
namespace {

constexpr std::uint64_t kEvents = 64;

// A channel in the middle of run 3: two threads, three events, two objects.
class BeginningTest : public ::testing::Test {
 protected:
  BeginningTest() : layout_(LayoutFor(kEvents)) {
    void* const memory = mmap(nullptr, layout_.size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    channel_ = new (memory) Channel;
    channel_->config.max_events = kEvents;
    channel_->request.first_run = channel_->records[0].run = 3;
    channel_->event_count = 3;
    channel_->decision_count = 1;
    channel_->object_count = 3;
    channel_->thread_count = 2;
    channel_->heartbeat = 3;
    for (int i = 0; i < 2; ++i) threads()[i] = ThreadRecord();
    std::strcpy(threads()[1].name, "early");
  }
  ~BeginningTest() override { munmap(channel_, layout_.size); }

  // The run goes on from there to its end.
  void EndRun() {
    channel_->event_count = 9;
    channel_->decision_count = 4;
    channel_->object_count = 8;
    channel_->thread_count = 3;
    channel_->heartbeat = 9;
    channel_->run_began = 100;
    channel_->run_ended = 200;
    threads()[0].ended = 1;
    threads()[1].pending.kind = OpKind::kLock;
    threads()[1].pending.object = 7;
    threads()[1].expected = 0;
    threads()[1].enabled = threads()[1].stands = 1;
    std::strcpy(threads()[1].name, "late");
    threads()[2] = ThreadRecord();
    events()[2].flags = Event::kFailed;
    channel_->failure.kind = FailureKind::kDeadlock;
    channel_->records[0].outcome = RunOutcome::kFailed;
  }

  ThreadRecord* threads() { return AreaOf<ThreadRecord>(channel_, layout_.threads); }
  Event* events() { return AreaOf<Event>(channel_, layout_.events); }

  const Layout layout_;
  Channel* channel_ = nullptr;
};

TEST_F(BeginningTest, ThreadsOfTheRunThatBeginsAreWhereTheyWereAtTheCheckpoint) {
  const Beginning beginning(*channel_);
  EndRun();

  beginning.Restore(channel_);

  EXPECT_EQ(channel_->thread_count, 2u);
  EXPECT_EQ(threads()[0].ended, 0);
  EXPECT_EQ(threads()[1].pending.kind, ThreadRecord().pending.kind);
  EXPECT_EQ(threads()[1].pending.object, ThreadRecord().pending.object);
  EXPECT_EQ(threads()[1].expected, ThreadRecord().expected);
  EXPECT_EQ(threads()[1].enabled, 0);
  EXPECT_EQ(threads()[1].stands, 0);
  EXPECT_STREQ(threads()[1].name, "early");
}

TEST_F(BeginningTest, NothingElseOfTheRunBeforeIsInTheRecord) {
  const Beginning beginning(*channel_);
  EndRun();
  channel_->request.first_run = 4;

  beginning.Restore(channel_);

  EXPECT_EQ(channel_->records[0].run, 4u);
  EXPECT_EQ(channel_->records[0].outcome, RunOutcome::kNone);
  EXPECT_EQ(channel_->failure.kind, FailureKind::kNone);
  EXPECT_EQ(channel_->event_count, 3u);
  EXPECT_EQ(channel_->decision_count, 1u);
  EXPECT_EQ(channel_->object_count, 3u);
  EXPECT_EQ(channel_->heartbeat, 3u);
  EXPECT_EQ(channel_->run_ended, 0u);
  EXPECT_EQ(events()[2].flags, 0);
}

}  // namespace
}  // namespace heddle
