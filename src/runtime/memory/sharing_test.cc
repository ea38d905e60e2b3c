#include "runtime/memory/sharing.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/rng.h"
#include "runtime/hooks/hot.h"
#include "runtime/memory/modules.h"
#include "runtime/memory/shadow_for_tests.h"

namespace heddle {
namespace {

// Two code sites per thread stand for two places in its code. What matters is which of them is
// reported: those become scheduling points.
class SharingTest : public testing::Test {
 protected:
  SharingTest() {
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

  static std::uint64_t CellOf(const void* address) {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    return *reinterpret_cast<const std::uint64_t*>(kShadowBase + (at & HEDDLE_SHADOW_MASK & ~7ull));
  }

  HeddleHot& hot_ = HotForTests();
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

// The hooks make granules the running thread's own without asking: just as the engine would.
TEST_F(SharingTest, WhatAHookClaimsIsWhatTheEngineWouldHaveDone) {
  alignas(8) std::uint64_t by_engine = 0, by_hook = 0;
  Sharing::Forget(&by_engine, 8);
  Sharing::Forget(&by_hook, 8);
  Rng rng(1);
  ThreadId threads = 3;
  int claims = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto thread = static_cast<ThreadId>(rng.Below(threads));
    switch (rng.Below(20)) {
      case 0:
        if (threads < 8) Sharing::ThreadCreated(threads++, thread);
        continue;
      case 1:
        Sharing::ThreadJoined(thread, static_cast<ThreadId>(rng.Below(threads)));
        continue;
      case 2:
        Sharing::ResetForRun();
        threads = 1;
        continue;
      case 3:
        Sharing::Revive(&by_engine, 8);
        Sharing::Revive(&by_hook, 8);
        continue;
      case 4:
        Sharing::Forget(&by_engine, 8);
        Sharing::Forget(&by_hook, 8);
        continue;
      default:
        break;
    }
    const bool is_alone = threads == 1;
    const bool is_write = rng.Below(3) == 0;
    Site* const site = At(100 + rng.Below(5));
    const std::uint64_t slot = heddle_site_slot(site->pc);
    hot_.site_numbers[slot] = static_cast<std::uint16_t>(site->index);
    Sharing::SetRunning(&hot_, thread, is_alone);
    Site* const noted = is_alone ? nullptr : site;
    Sharing::Touch(&by_engine, 8, is_write, thread, noted, channel_);
    if (heddle_claim(&hot_, slot, reinterpret_cast<std::uint64_t>(&by_hook), 1, is_write)) {
      ++claims;
    } else {
      Sharing::Touch(&by_hook, 8, is_write, thread, noted, channel_);
    }
    ASSERT_EQ(CellOf(&by_engine), CellOf(&by_hook)) << "at step " << step;
  }
  EXPECT_GT(claims, 1'000);
}

// Two variables in one granule, as `a++; b++` in one thread and `b++` in another. That of `a` is a
// point by now; nothing but the hooks' fast path stands between that of `b` and its being one.
TEST_F(SharingTest, WhatAThreadDoesBehindItsOwnPointIsNoted) {
  for (const bool is_write : {false, true}) {
    Sharing::Revive(&variable_, 8);
    Sharing::SetRunning(&hot_, 1, false);
    const std::uint64_t place = is_write ? 10 : 11;
    const std::uint64_t slot = heddle_site_slot(At(place)->pc);
    hot_.site_numbers[slot] = static_cast<std::uint16_t>(At(place)->index);

    Sharing::TouchAtPoint(&variable_, 4, true, 1, channel_);
    EXPECT_FALSE(heddle_owns(&hot_, CellOf(&variable_), is_write));
    EXPECT_TRUE(
        heddle_claim(&hot_, slot, reinterpret_cast<std::uint64_t>(&variable_), 1, is_write));
    EXPECT_TRUE(heddle_owns(&hot_, CellOf(&variable_), is_write));
    Sharing::TouchAtPoint(&variable_, 4, true, 2, channel_);

    EXPECT_TRUE(IsReported(place)) << is_write;
  }
}

TEST_F(SharingTest, WhatAThreadReadsBehindItsOwnPointIsNotedThoughOthersReadIt) {
  Sharing::Revive(&variable_, 8);
  Sharing::SetRunning(&hot_, 1, false);

  Sharing::TouchAtPoint(&variable_, 4, false, 1, channel_);
  Sharing::TouchAtPoint(&variable_, 4, false, 2, channel_);
  EXPECT_FALSE(heddle_may_read(&hot_, CellOf(&variable_)));
  Read(1, 10);
  EXPECT_TRUE(heddle_may_read(&hot_, CellOf(&variable_)));
  Write(2, 20);

  EXPECT_TRUE(IsReported(10));
}

TEST_F(SharingTest, AHookClaimsNothingOnAnothersStackNorInFreedMemory) {
  const auto address = reinterpret_cast<std::uint64_t>(&variable_);
  HeddleHot hot = hot_;
  Sharing::SetRunning(&hot, 1, false);
  Sharing::Revive(&variable_, 8);
  hot.main_stack = address & ~4095ull;
  hot.main_stack_size = 8192;
  EXPECT_FALSE(heddle_claim(&hot, 0, address, 1, false));
  hot.minus_own_stack = -hot.main_stack;
  hot.own_stack_size = hot.main_stack_size;
  EXPECT_TRUE(heddle_claim(&hot, 0, address, 1, false));
  Sharing::Forget(&variable_, 8);
  EXPECT_FALSE(heddle_claim(&hot, 0, address, 1, false));
}

}  // namespace
}  // namespace heddle
