#include "explore/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <new>

#include "base/rng.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kEvents = 64;

// A channel after one good run: two threads, one object, a decision, three events, their stacks.
class ValidateTest : public ::testing::Test {
 protected:
  ValidateTest() : layout_(LayoutFor(kEvents)), facts_{kEvents, layout_.size} {
    void* const memory = mmap(nullptr, layout_.size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    channel_ = new (memory) Channel;
    channel_->magic = kChannelMagic;
    channel_->version = kChannelVersion;
    channel_->size = layout_.size;
    channel_->record_count = 1;
    channel_->records[0].run = 7;
    channel_->records[0].outcome = RunOutcome::kExited;
    channel_->records[0].events = 3;
    channel_->records[0].decisions = 1;
    channel_->thread_count = 2;
    channel_->object_count = 2;
    channel_->decision_count = 1;
    channel_->event_count = 3;
    channel_->frame_count = 4;
    channel_->has_thread_stacks = channel_->has_event_stacks = 1;
    auto* const decisions = AreaOf<DecisionRecord>(channel_, layout_.decisions);
    decisions[0].options = 2;
    decisions[0].thread = 1;
    auto* const events = AreaOf<Event>(channel_, layout_.events);
    for (int i = 0; i < 3; ++i) {
      events[i].thread = 1;
      events[i].object = 1;
      events[i].other = kNoThread;
    }
    auto* const threads = AreaOf<ThreadRecord>(channel_, layout_.threads);
    threads[0].parent = kNoThread;
  }
  ~ValidateTest() override { munmap(channel_, layout_.size); }

  Result<OwnedTrace> Copy() {
    auto records = CopyRecords(*channel_, 7, 1);
    if (!records) return records.error();
    return CopyTrace(channel_, facts_, records->front(), TraceParts::kEverything);
  }

  const Layout layout_;
  const ChannelFacts facts_;
  Channel* channel_;
};

TEST_F(ValidateTest, AGoodRunIsCopiedWhole) {
  const auto trace = Copy();

  ASSERT_TRUE(trace.ok()) << trace.error().text;
  const RunTrace view = trace->View();
  EXPECT_EQ(view.events.size(), 3u);
  EXPECT_EQ(view.decisions.size(), 1u);
  EXPECT_EQ(view.thread_stacks.size(), 2u);
  EXPECT_EQ(view.event_stacks.size(), 3u);
}

TEST_F(ValidateTest, ARunThatWasKilledBeforeItBeganHadItsMainThread) {
  channel_->thread_count = channel_->decision_count = channel_->event_count = 0;
  channel_->has_thread_stacks = channel_->has_event_stacks = 0;
  channel_->records[0].events = channel_->records[0].decisions = 0;

  const auto trace = Copy();

  ASSERT_TRUE(trace.ok()) << trace.error().text;
  ASSERT_EQ(trace->View().threads.size(), 1u);
  EXPECT_EQ(trace->View().threads[0].path_hash, kMainPathHash);
}

TEST_F(ValidateTest, AThreadOutOfRangeIsDamage) {
  AreaOf<Event>(channel_, layout_.events)[1].thread = 2;

  const auto trace = Copy();

  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().text, HasSubstr("event 1"));
}

TEST_F(ValidateTest, ASightingOfAnEarlierRunMayNameAThreadThatThisOneHasNot) {
  channel_->sighting_count = 2;
  for (Sighting* const sighting : {&channel_->sightings[0], &channel_->sightings[1]}) {
    sighting->side_count = 2;
    sighting->sides[0].thread = sighting->sides[1].thread = 1;
  }
  channel_->sightings[0].sides[1].thread = 169;
  channel_->records[0].sightings = 3;
  channel_->records[0].new_sightings = 1;

  const auto trace = Copy();
  ASSERT_TRUE(trace.ok()) << trace.error().text;
  ASSERT_EQ(trace->sightings.size(), 1u);

  channel_->sightings[1].sides[1].thread = 169;
  EXPECT_FALSE(Copy().ok());
}

TEST_F(ValidateTest, AnObjectThatDidNotFitIsNoObject) {
  AreaOf<Event>(channel_, layout_.events)[1].object = 99;
  EXPECT_FALSE(Copy().ok());

  channel_->records[0].truncated = 1;
  const auto trace = Copy();

  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->events[1].object, kNoObject);
}

TEST_F(ValidateTest, AStackBeyondTheFramesIsDamage) {
  AreaOf<StackRecord>(channel_, layout_.event_stacks)[2] = {.first_frame = 3, .frame_count = 2};
  EXPECT_FALSE(Copy().ok());

  // The sum wraps around in 32 bits.
  AreaOf<StackRecord>(channel_, layout_.event_stacks)[2] = {.first_frame = 3,
                                                            .frame_count = 0xffffffff};
  EXPECT_FALSE(Copy().ok());
}

TEST_F(ValidateTest, TextWithoutAnEndGetsOne) {
  std::memset(channel_->failure.message, 'x', sizeof channel_->failure.message);

  const auto trace = Copy();

  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(std::strlen(trace->failure.message), sizeof channel_->failure.message - 1);
}

TEST_F(ValidateTest, RecordsMustBeOfTheRunsThatWereAskedFor) {
  EXPECT_FALSE(CopyRecords(*channel_, 8, 1).ok());
  EXPECT_FALSE(CopyRecords(*channel_, 7, 0).ok());
  EXPECT_TRUE(CopyRecords(*channel_, 7, 5).ok());
}

// Whatever a run scribbles, the copy is refused or every index in it is in range.
TEST_F(ValidateTest, RandomScribblingNeverGetsThroughUnchecked) {
  Rng rng(1);
  const auto scribble = [&rng](void* memory, std::size_t size) {
    const std::uint64_t at = rng.Below(size);
    const std::uint64_t byte = rng.Below(256);
    static_cast<unsigned char*>(memory)[at] = static_cast<unsigned char>(byte);
  };
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    scribble(AreaOf<char>(channel_, layout_.events), 3 * sizeof(Event));
    scribble(AreaOf<char>(channel_, layout_.decisions), sizeof(DecisionRecord));
    scribble(AreaOf<char>(channel_, layout_.threads), 2 * sizeof(ThreadRecord));
    scribble(AreaOf<char>(channel_, layout_.event_stacks), 3 * sizeof(StackRecord));
    scribble(&channel_->decision_count, 32);
    scribble(&channel_->failure, sizeof(Failure));

    const auto trace = Copy();

    if (!trace) {
      ++refused;
      if (round % 3 == 0) {  // go on from something that nearly holds
        std::memset(&channel_->decision_count, 0, 32);
        channel_->thread_count = channel_->object_count = 2;
        channel_->failure = Failure();
        std::memset(AreaOf<char>(channel_, layout_.threads), 0, 2 * sizeof(ThreadRecord));
      }
      continue;
    }
    for (const Event& event : trace->events) {
      ASSERT_LT(event.thread, trace->threads.size());
      ASSERT_TRUE(event.object == kNoObject || event.object < trace->objects.size());
    }
    for (const StackRecord& stack : trace->event_stacks) {
      ASSERT_LE(std::uint64_t{stack.first_frame} + stack.frame_count, trace->frames.size());
    }
    ASSERT_LE(trace->failure.cycle_length, 16u);
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace heddle
