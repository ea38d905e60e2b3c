#include "trace/lock_graph.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr ObjectId kA = 1, kB = 2, kC = 3, kGate = 4;

class LockGraphTest : public ::testing::Test {
 protected:
  void SetUp() override {
    graph.Reset();
    graph.ThreadCreated(1, 0);
    graph.ThreadCreated(2, 0);
    graph.ThreadCreated(3, 0);
  }
  // Takes them in this order and gives them back; whether that made a cycle.
  bool Nest(ThreadId thread, std::initializer_list<ObjectId> locks) {
    bool cycle = false;
    for (const ObjectId lock : locks) {
      const auto made = graph.Take({.thread = thread, .lock = lock, .site = lock});
      if (made.empty()) continue;
      cycle = true;
      ring = made;
    }
    for (auto at = std::rbegin(locks); at != std::rend(locks); ++at) graph.Release(thread, *at);
    return cycle;
  }
  LockGraph graph;
  std::vector<LockEdge> ring;  // the last one
};

TEST_F(LockGraphTest, OppositeOrdersOfTwoThreadsAreACycle) {
  EXPECT_FALSE(Nest(1, {kA, kB}));
  EXPECT_TRUE(Nest(2, {kB, kA}));
}

TEST_F(LockGraphTest, ThreeLocksInARingAreACycle) {
  EXPECT_FALSE(Nest(1, {kA, kB}));
  EXPECT_FALSE(Nest(2, {kB, kC}));
  EXPECT_TRUE(Nest(3, {kC, kA}));
  ASSERT_EQ(ring.size(), 3u);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    EXPECT_EQ(ring[i].thread, i + 1);
    EXPECT_EQ(ring[i].taken, ring[(i + 1) % ring.size()].held);
  }
}

TEST_F(LockGraphTest, OneThreadCannotMeetItself) {
  EXPECT_FALSE(Nest(1, {kA, kB}));
  EXPECT_FALSE(Nest(1, {kB, kA}));
}

TEST_F(LockGraphTest, ACommonGateKeepsThemApart) {
  EXPECT_FALSE(Nest(1, {kGate, kA, kB}));
  EXPECT_FALSE(Nest(2, {kGate, kB, kA}));
}

TEST_F(LockGraphTest, WhatCreationAndJoiningOrderCannotMeet) {
  EXPECT_FALSE(Nest(1, {kA, kB}));
  graph.ThreadJoined(1, 0);
  EXPECT_FALSE(Nest(0, {kB, kA}));
  graph.ThreadCreated(4, 0);
  EXPECT_FALSE(Nest(4, {kB, kA}));
  // But this one ran beside the first all the time.
  EXPECT_TRUE(Nest(2, {kB, kA}));
}

TEST_F(LockGraphTest, ATryClosesNoCycle) {
  EXPECT_FALSE(Nest(1, {kA, kB}));
  EXPECT_TRUE(graph.Take({.thread = 2, .lock = kB, .site = 1}).empty());
  EXPECT_TRUE(graph.Take({.thread = 2, .lock = kA, .site = 2, .may_block = false}).empty());
}

TEST_F(LockGraphTest, ReadersOfALockDoNotWaitForEachOther) {
  for (const bool writes : {false, true}) {
    SetUp();
    // T1 reads A and takes B; T2 holds B and takes A.
    graph.Take({.thread = 1, .lock = kA, .site = 1, .to_read = true});
    graph.Take({.thread = 1, .lock = kB, .site = 2});
    graph.Release(1, kB);
    graph.Release(1, kA);
    graph.Take({.thread = 2, .lock = kB, .site = 3});
    const auto made = graph.Take({.thread = 2, .lock = kA, .site = 4, .to_read = !writes});
    EXPECT_EQ(made.size(), writes ? 2u : 0u);
  }
}

TEST_F(LockGraphTest, AGateThatBothReadKeepsNobodyApart) {
  for (const bool second_writes : {false, true}) {
    SetUp();
    graph.Take({.thread = 1, .lock = kGate, .site = 1, .to_read = true});
    EXPECT_FALSE(Nest(1, {kA, kB}));
    graph.Release(1, kGate);
    graph.Take({.thread = 2, .lock = kGate, .site = 2, .to_read = !second_writes});
    EXPECT_EQ(Nest(2, {kB, kA}), !second_writes);
    graph.Release(2, kGate);
  }
}

}  // namespace
}  // namespace heddle
