#include "explore/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Switch Thread(ThreadId from, ThreadId to) { return {.from = from, .to = to}; }

TEST(ShrinkTest, PuttingOffAStretchThatReturnsDropsBothSwitches) {
  const auto rest = PutOff({Thread(1, 2), Thread(2, 1), Thread(1, 3)}, 0);

  EXPECT_THAT(rest, ElementsAre(Thread(1, 3)));
}

TEST(ShrinkTest, PuttingOffAStretchThatHandsOnGoesToWhoComesAfterIt) {
  const auto rest = PutOff({Thread(1, 2), Thread(2, 3), Thread(3, 1)}, 0);

  EXPECT_THAT(rest, ElementsAre(Thread(1, 3), Thread(3, 1)));
}

TEST(ShrinkTest, TheLastStretchIsSimplyDropped) {
  EXPECT_THAT(PutOff({Thread(1, 2)}, 0), IsEmpty());
}

TEST(ShrinkTest, ASwitchIsNamedByTheNextOperationOfTheThreadThatStops) {
  OwnedTrace trace;
  trace.threads.resize(3);
  for (const auto& [thread, site] :
       {std::pair<ThreadId, std::uint64_t>{1, 0x10}, {1, 0x10}, {2, 0x20}, {1, 0x10}}) {
    Event event;
    event.thread = thread;
    event.site = site;
    event.kind = OpKind::kWrite;
    trace.events.push_back(event);
  }
  DecisionRecord decision;
  decision.event = 2;  // after two writes of thread 1, which is about to do its third
  decision.options = 2;
  decision.current = 1;
  decision.thread = 2;
  decision.current_enabled = true;
  trace.decisions.push_back(decision);

  const auto switches = SwitchesOf(trace);

  ASSERT_EQ(switches.size(), 1u);
  EXPECT_EQ(switches[0].kind, OpKind::kWrite);
  EXPECT_EQ(switches[0].site, 0x10u);
  EXPECT_EQ(switches[0].occurrence, 3u);
  EXPECT_FALSE(switches[0].forced);
}

}  // namespace
}  // namespace heddle
