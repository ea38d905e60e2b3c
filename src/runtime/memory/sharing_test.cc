#include "runtime/memory/sharing.h"

#include <gtest/gtest.h>

#include <memory>

#include "runtime/memory/modules.h"

namespace heddle {
namespace {

// Two code sites per thread stand for two places in its code. What matters is which of them is
// reported: those become scheduling points.
class SharingTest : public testing::Test {
 protected:
  SharingTest() {
    static HeddleHot hot = {};
    if (hot.shadow == nullptr) Sharing::Prepare(&hot);
    channel_ = static_cast<Channel*>(std::calloc(1, LayoutFor(1).size));
    channel_->config.max_events = 1;
    Sites::Configure({}, {});
    Sharing::Quiesced();  // nothing of an earlier test counts
    Sharing::ThreadCreated(1, 0);
    Sharing::ThreadCreated(2, 0);
  }
  ~SharingTest() override { std::free(channel_); }

  Site* At(std::uint64_t place) { return Sites::Find(0x1000 + place); }

  void Read(ThreadId thread, std::uint64_t place) {
    Sharing::Touch(&variable_, 8, false, thread, At(place), channel_);
  }
  void Write(ThreadId thread, std::uint64_t place) {
    Sharing::Touch(&variable_, 8, true, thread, At(place), channel_);
  }
  bool IsReported(std::uint64_t place) { return At(place)->is_reported; }

  alignas(8) std::uint64_t variable_ = 0;
  Channel* channel_ = nullptr;
};

TEST_F(SharingTest, OneThreadAloneSharesNothing) {
  Write(1, 10);
  Read(1, 11);
  Write(1, 10);
  EXPECT_FALSE(IsReported(10) || IsReported(11));
}

TEST_F(SharingTest, AWriteAndAnUnorderedReadAreBothReported) {
  Write(1, 10);
  Read(2, 20);
  EXPECT_TRUE(IsReported(10));
  EXPECT_TRUE(IsReported(20));
}

TEST_F(SharingTest, AReadAndALaterUnorderedWriteAreBothReported) {
  Read(1, 10);
  Write(2, 20);
  EXPECT_TRUE(IsReported(10));
  EXPECT_TRUE(IsReported(20));
}

TEST_F(SharingTest, BothTheFirstReaderAndTheFirstWriterOfAThreadAreReported) {
  Read(1, 10);
  Write(1, 11);
  Read(2, 20);
  EXPECT_TRUE(IsReported(10) && IsReported(11) && IsReported(20));
}

TEST_F(SharingTest, ReadsAloneNeverConflict) {
  Read(1, 10);
  Read(2, 20);
  Read(0, 1);
  EXPECT_FALSE(IsReported(10) || IsReported(20) || IsReported(1));
}

TEST_F(SharingTest, WhatACreatorWroteBeforeCreatingIsOrdered) {
  Write(0, 1);
  Sharing::ThreadCreated(3, 0);
  Sharing::ThreadCreated(4, 0);
  Read(3, 30);
  Read(4, 40);
  EXPECT_FALSE(IsReported(1) || IsReported(30) || IsReported(40));
}

TEST_F(SharingTest, WhatACreatorWritesAfterCreatingIsNotOrdered) {
  Sharing::ThreadCreated(3, 0);
  Write(0, 1);
  Read(3, 30);
  EXPECT_TRUE(IsReported(1) && IsReported(30));
}

// Main writes after making thread 1 and before making thread 3: ordered for 3, not for 1, whoever
// reads first.
TEST_F(SharingTest, AReaderThatIsOrderedDoesNotHideOneThatIsNot) {
  Write(0, 1);
  Sharing::ThreadCreated(3, 0);
  Read(3, 30);
  Read(1, 10);
  EXPECT_TRUE(IsReported(1) && IsReported(10));
}

TEST_F(SharingTest, AHandOverDoesNotHideTheFirstWriter) {
  Write(0, 1);
  Sharing::ThreadCreated(3, 0);
  Write(3, 30);
  Read(1, 10);
  EXPECT_TRUE(IsReported(1));
  EXPECT_TRUE(IsReported(10));
}

TEST_F(SharingTest, ResultsReadAfterJoiningAreOrdered) {
  Write(1, 10);
  Sharing::ThreadJoined(1, 0);
  Read(0, 1);
  EXPECT_FALSE(IsReported(10) || IsReported(1));
}

TEST_F(SharingTest, EverySiteThatTouchesSharedMemoryIsReported) {
  Write(1, 10);
  Write(2, 20);
  Read(1, 12);
  Read(2, 22);
  EXPECT_TRUE(IsReported(12) && IsReported(22));
}

TEST_F(SharingTest, MemoryWithANewLifeIsUntouched) {
  Write(1, 10);
  Sharing::Forget(&variable_, 8);
  Write(2, 20);
  EXPECT_FALSE(IsReported(10) || IsReported(20));
}

TEST_F(SharingTest, AfterAllWereJoinedNothingBeforeCounts) {
  Write(1, 10);
  Sharing::Quiesced();
  Write(2, 20);
  EXPECT_FALSE(IsReported(10) || IsReported(20));
}

}  // namespace
}  // namespace heddle
