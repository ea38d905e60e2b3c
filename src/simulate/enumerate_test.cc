#include "simulate/enumerate.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle::simulate {
namespace {

struct Totals {
  int interleavings = 0;
  int failed = 0;
  int deadlocked = 0;
  double probability = 0;
  std::set<std::string> orders;
};

Totals TotalsOf(const Program& program) {
  Totals totals;
  ForEachInterleaving(program, {}, [&](const Interleaving& interleaving) {
    ++totals.interleavings;
    totals.failed += interleaving.failed ? 1 : 0;
    totals.deadlocked += interleaving.deadlocked ? 1 : 0;
    totals.probability += interleaving.probability;
    totals.orders.insert(CanonicalOrder(interleaving.events));
  });
  return totals;
}

TEST(EnumerateTest, TwoThreadsOfThreeStoresHaveSixOverThreeInterleavings) {
  Program program;
  program.Thread({Write(0, Const(1)), Write(0, Const(2)), Write(0, Const(3))});
  program.Thread({Write(0, Const(4)), Write(0, Const(5)), Write(0, Const(6))});

  const Totals totals = TotalsOf(program);

  EXPECT_EQ(totals.interleavings, 20);  // 6! / (3! 3!)
  EXPECT_EQ(totals.orders.size(), 20u) << "all on one object: nothing commutes";
  EXPECT_DOUBLE_EQ(totals.probability, 1);
}

TEST(EnumerateTest, IndependentThreadsHaveOnePartialOrder) {
  Program program;
  program.Thread({Write(0, Const(1)), Write(0, Const(2))});
  program.Thread({Write(1, Const(1)), Write(1, Const(2))});

  const Totals totals = TotalsOf(program);

  EXPECT_EQ(totals.interleavings, 6);
  EXPECT_EQ(totals.orders.size(), 1u);
}

TEST(EnumerateTest, ReadsCommute) {
  Program program;
  program.Thread({Read(0)});
  program.Thread({Read(0)});
  program.Thread({Write(0, Const(1))});

  const Totals totals = TotalsOf(program);

  EXPECT_EQ(totals.interleavings, 6);
  EXPECT_EQ(totals.orders.size(), 4u) << "each read is before or after the write";
}

TEST(EnumerateTest, AbbaDeadlocksInTheInterleavingsThatTakeOneLockEach) {
  Program program;
  program.Thread({Lock(0), Lock(1), Unlock(1), Unlock(0)});
  program.Thread({Lock(1), Lock(0), Unlock(0), Unlock(1)});

  const Totals totals = TotalsOf(program);

  // Each thread takes its first lock, in either order.
  EXPECT_EQ(totals.deadlocked, 2);
  EXPECT_DOUBLE_EQ(totals.probability, 1);
}

// Read and write of two threads interleave in six ways; only the two serial ones keep both updates.
TEST(EnumerateTest, ALostUpdateFailsInFourOfSix) {
  Program program;
  const std::vector<Step> update = {Read(0).Into(0), Write(0, {.constant = 1, .first = 0})};
  program.Thread({Create(1), Create(2), Join(1), Join(2), Read(0).Assert(Is::kEqual, 2)});
  program.Thread(update);
  program.Thread(update);

  const Totals totals = TotalsOf(program);

  EXPECT_EQ(totals.interleavings, 6) << "create and join run at once and ask nothing";
  EXPECT_EQ(totals.failed, 4);
}

TEST(EnumerateTest, ASignalBeforeTheWaitIsLost) {
  Program program;
  program.Thread({Lock(0), Wait(1, 0), Unlock(0)});
  program.Thread({Signal(1)});

  const Totals totals = TotalsOf(program);

  // signal first; lock, signal, wait: lost. lock, wait, signal: woken.
  EXPECT_EQ(totals.interleavings, 3);
  EXPECT_EQ(totals.deadlocked, 2);
  EXPECT_DOUBLE_EQ(totals.probability, 1);
}

TEST(EnumerateTest, WhichWaiterWakesIsAQuestion) {
  Program program;
  program.Thread({Lock(0), Wait(1, 0), Unlock(0)});
  program.Thread({Lock(0), Wait(1, 0), Unlock(0)});
  program.Thread({Signal(1)});

  int both_waiting = 0;
  ForEachInterleaving(program, {}, [&](const Interleaving& run) {
    const bool signals_last = run.events.size() >= 5 && run.events[4].kind == OpKind::kSignal;
    both_waiting += signals_last ? 1 : 0;
  });

  // Lock, wait of one, then of the other: two orders; each then has two waiters to wake.
  EXPECT_EQ(both_waiting, 4);
}

}  // namespace
}  // namespace heddle::simulate
