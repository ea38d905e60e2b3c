// The examples of Wang, Said and Gupta, "Coverage Guided Systematic Concurrency Testing" (ICSE
// 2011).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulate/enumerate.h"
#include "simulate/machine.h"
#include "strategy/backtrack.h"
#include "strategy/nonpreemptive.h"
#include "strategy/registry.h"

namespace heddle::simulate {
namespace {

// The set of every statement, by the letters that the figure gives them.
using Sets = std::map<std::string, std::set<std::string>>;

class Letters {
 public:
  void Name(int thread, int step, const std::string& letter) {
    letters_[(std::uint64_t{1} << 32) * static_cast<std::uint64_t>(thread) +
             static_cast<std::uint64_t>(step) + 1] = letter;
  }
  Sets Of(const HapSets& hapsets) const {
    Sets sets;
    for (const HapPair& pair : hapsets.pairs()) {
      sets[letters_.at(pair.statement.site)].insert(letters_.at(pair.before.site));
    }
    return sets;
  }

 private:
  std::map<std::uint64_t, std::string> letters_;
};

// Figure 1: p is set up (e1) and freed (e4) by one thread, checked (e2) and used (e3) by the other.
struct Figure1 {
  Program program;
  Letters letters;

  Figure1() {
    program.Thread({Write(0, Const(1)), Write(0, Const(0))});
    program.Thread({Read(0).Unless(Is::kNotEqual, 0, 1), Read(0).Assert(Is::kNotEqual, 0)});
    letters.Name(0, 0, "e1");
    letters.Name(0, 1, "e4");
    letters.Name(1, 0, "e2");
    letters.Name(1, 1, "e3");
  }
};

TEST(HapsetTest, TheSetsOfFigure1AfterOneRunAreAsPrinted) {
  const Figure1 figure;
  Machine machine(figure.program);
  NonPreemptivePolicy policy;
  BacktrackSearch search({}, {.name = "hapset", .guided = true});
  Plan plan;
  plan.policy = "learning";
  plan.prefix = {{0, 2}, {1, 2}, {1, 2}};  // e1 e2 e3, then e4
  ASSERT_EQ(machine.Run(plan, policy).outcome, RunOutcome::kExited);

  search.Learn(plan, machine.Trace());

  EXPECT_EQ(figure.letters.Of(search.hapsets()), (Sets{{"e2", {"e1"}}, {"e4", {"e3"}}}));
}

TEST(HapsetTest, TheSetsOfFigure1AfterAllGoodRunsAreAsPrinted) {
  const Figure1 figure;
  Machine machine(figure.program);
  NonPreemptivePolicy policy;
  BacktrackSearch search({}, {.name = "hapset", .guided = true});
  int good = 0;
  ForEachInterleaving(figure.program, {}, [&](const Interleaving& interleaving) {
    Plan plan;
    plan.policy = "learning";
    plan.prefix = interleaving.answers;
    good += machine.Run(plan, policy).outcome == RunOutcome::kExited ? 1 : 0;
    search.Learn(plan, machine.Trace());
  });

  EXPECT_EQ(good, 3);
  EXPECT_EQ(figure.letters.Of(search.hapsets()),
            (Sets{{"e1", {"e2"}}, {"e2", {"e1", "e4"}}, {"e4", {"e3"}}}));
}

TEST(HapsetTest, TheBugOfFigure1IsFoundBecauseItsOrdersAreNew) {
  const Figure1 figure;
  Machine machine(figure.program);
  NonPreemptivePolicy policy;
  BacktrackSearch search(
      {}, {.name = "hapset", .rule = BacktrackRule::kOneThatLeadsThere, .guided = true});
  bool found = false;
  while (const std::optional<Plan> plan = search.Next()) {
    found = found || machine.Run(*plan, policy).failure == FailureKind::kAssertion;
    search.Learn(*plan, machine.Trace());
  }

  EXPECT_TRUE(found);
}

// Figure 2: a; then at most k rounds of: lock (b), look at x (c), unlock (d), again unless it was
// set (e). The other thread sets x (g) under the lock (f, h).
Program Figure2OfBusyWaiting(int k) {
  constexpr Object kX = 0, kMutex = 1, kOwn = 2, kRounds = 3;
  Program program;
  program.Thread({
      Write(kOwn, Const(1)),                                 // a
      Lock(kMutex),                                          // b
      Read(kX).Unless(Is::kEqual, 0, 3),                     // c; set: to the last unlock
      Unlock(kMutex),                                        // d
      Add(kRounds, Const(1)).Unless(Is::kEqual, k - 1, -4),  // e; back to b
      Read(kOwn).Unless(Is::kEqual, 0, 1),                   // out of rounds: to the end
      Unlock(kMutex),
  });
  program.Thread({Lock(kMutex), Write(kX, Const(1)), Unlock(kMutex)});  // f g h
  return program;
}

// Runs until the search ends, beginning with a f g h b c ..., the paper's first interleaving.
int RunsOnFigure2(int k, const BacktrackOptions& options) {
  Machine machine(Figure2OfBusyWaiting(k));
  NonPreemptivePolicy policy;
  BacktrackSearch search({}, options);
  int runs = 0;
  while (const std::optional<Plan> plan = search.Next()) {
    Plan sent = *plan;
    if (runs++ == 0) sent.prefix = {{0, 2}, {1, 2}};
    machine.Run(sent, policy);
    search.Learn(*plan, machine.Trace());
  }
  EXPECT_EQ(search.Complete(), !options.guided);
  return runs;
}

TEST(HapsetTest, BusyWaitingTakesTwoRunsWithHapsetsAndEverMoreWithout) {
  int before = 0;
  for (const int k : {2, 3, 5, 8}) {
    const BacktrackRule rule = BacktrackRule::kOneThatLeadsThere;
    EXPECT_EQ(RunsOnFigure2(k, {.name = "hapset", .rule = rule, .guided = true}), 2) << k;
    const int plain = RunsOnFigure2(k, {.name = "dpor", .rule = rule});
    EXPECT_GT(plain, before) << k;
    before = plain;
  }
  EXPECT_GE(before, 8);
}

// What the runs of a search showed, until it ended.
struct Searched {
  int runs = 0;
  std::set<std::uint64_t> classes;
  int first_failure = 0;  // the run's number; 0: none
};

Searched SearchGuided(const Program& program) {
  Machine machine(program);
  NonPreemptivePolicy policy;
  BacktrackSearch search(
      {}, {.name = "hapset", .rule = BacktrackRule::kOneThatLeadsThere, .guided = true});
  Searched searched;
  while (const std::optional<Plan> plan = search.Next()) {
    const RunRecord& record = machine.Run(*plan, policy);
    ++searched.runs;
    searched.classes.insert(record.class_hash);
    if (record.failure != FailureKind::kNone && searched.first_failure == 0) {
      searched.first_failure = searched.runs;
    }
    search.Learn(*plan, machine.Trace());
  }
  return searched;
}

// The second thread's write comes right behind the first one's read of x in the first run already:
// that its own read lies between them there is no order, the reads may as well change places. So
// the third run is none for that order, but the one that shows the bug.
TEST(HapsetTest, WhatAnEquivalentRunWouldHaveShownIsTriedLast) {
  constexpr Object kX = 0, kHandle = 1, kCount = 2, kMutex = 3;
  Program program;
  program.Thread(
      {Write(kHandle, Const(1)), Lock(kMutex), Add(kCount, Const(1)), Unlock(kMutex), Read(kX)});
  program.Thread({Lock(kMutex), Add(kCount, Const(1)), Unlock(kMutex), Read(kX),
                  Write(kX, Const(1)), Read(kHandle).Assert(Is::kNotEqual, 0)});

  EXPECT_EQ(SearchGuided(program).first_failure, 3);
}

// Nobody writes between the read and the write of another thread's section: no run is made to see
// it.
TEST(HapsetTest, NoRunIsMadeForAnOrderThatALockRulesOut) {
  constexpr Object kX = 0, kMutex = 1, kOwn = 2;
  Program program;
  program.Thread({Lock(kMutex), Read(kX), Write(kX, Const(1)), Unlock(kMutex)});
  program.Thread(
      {Write(kOwn, Const(1)), Lock(kMutex), Read(kX), Write(kX, Const(2)), Unlock(kMutex)});

  const Searched searched = SearchGuided(program);

  EXPECT_EQ(searched.classes.size(), 2);
  EXPECT_EQ(searched.runs, 2);
}

// Locks that each thread takes for itself in passing rule nothing out: the read that comes too
// early is reached by taking them the other way round.
TEST(HapsetTest, AnOrderThatALockHidesIsFound) {
  constexpr Object kHandle = 0, kCount = 1, kMutex = 2;
  Program program;
  program.Thread({Write(kHandle, Const(1)), Lock(kMutex), Add(kCount, Const(1)), Unlock(kMutex)});
  program.Thread({Lock(kMutex), Add(kCount, Const(1)), Unlock(kMutex),
                  Read(kHandle).Assert(Is::kNotEqual, 0)});

  EXPECT_NE(SearchGuided(program).first_failure, 0);
}

// As above, but the write is in a section of the lock itself: aside from the lock it can't be
// passed.
TEST(HapsetTest, ToPassASectionARunTurnsAsideWhereItsLockIsTaken) {
  constexpr Object kHandle = 0, kMutex = 1, kOwn = 2;
  Program program;
  program.Thread({Lock(kMutex), Write(kHandle, Const(1)), Unlock(kMutex)});
  program.Thread({Write(kOwn, Const(1)), Lock(kMutex), Unlock(kMutex),
                  Read(kHandle).Assert(Is::kNotEqual, 0)});

  const Searched searched = SearchGuided(program);

  EXPECT_NE(searched.first_failure, 0);
  EXPECT_EQ(searched.runs, static_cast<int>(searched.classes.size()));
}

// The main thread runs first and joins the other one before it ends the process: all that it does
// with what they share comes before the other's, and the next run tries it the other way round.
TEST(HapsetTest, WhoEndsTheProcessMayHaveBeenWhollyBeforeAnother) {
  constexpr Object kHandle = 0, kCount = 1, kMutex = 2, kProcess = 3;
  Program program;
  program.Thread({Create(1), Write(kHandle, Const(1)), Lock(kMutex), Add(kCount, Const(1)),
                  Unlock(kMutex), Lock(kMutex), Add(kCount, Const(1)), Unlock(kMutex), Join(1),
                  Exit(kProcess)});
  program.Thread({Lock(kMutex), Add(kCount, Const(1)), Unlock(kMutex),
                  Read(kHandle).Assert(Is::kNotEqual, 0)});

  EXPECT_EQ(SearchGuided(program).first_failure, 2);
}

// Each passes through the lock that the next one is to hold before it takes its own two.
TEST(HapsetTest, ARingOfLocksIsClosedThreadByThread) {
  Program program;
  for (int thread = 0; thread < 3; ++thread) {
    const Object first = thread, second = (thread + 1) % 3;
    program.Thread(
        {Lock(second), Unlock(second), Lock(first), Lock(second), Unlock(second), Unlock(first)});
  }

  EXPECT_NE(SearchGuided(program).first_failure, 0);
}

// A ring whose threads all hold one more lock can't close.
TEST(HapsetTest, ARingBehindALockIsLeftAlone) {
  constexpr Object kGate = 3;
  Program program;
  for (int thread = 0; thread < 3; ++thread) {
    const Object first = thread, second = (thread + 1) % 3;
    program.Thread(
        {Lock(kGate), Lock(first), Lock(second), Unlock(second), Unlock(first), Unlock(kGate)});
  }

  const Searched searched = SearchGuided(program);

  EXPECT_EQ(searched.first_failure, 0);
  EXPECT_EQ(searched.runs, static_cast<int>(searched.classes.size()));
}

// Who is outside the program may answer sooner or later than before: here every run that is sent
// somewhere for the first time begins like the first one instead.
TEST(HapsetTest, WhatARunWasForIsTriedAgainIfItWentAnotherWay) {
  const Figure1 figure;
  Machine machine(figure.program);
  NonPreemptivePolicy policy;
  BacktrackSearch search(
      {}, {.name = "hapset", .rule = BacktrackRule::kOneThatLeadsThere, .guided = true});
  std::vector<std::vector<Answer>> sent;
  bool found = false;
  while (const std::optional<Plan> plan = search.Next()) {
    Plan made = *plan;
    if (std::find(sent.begin(), sent.end(), plan->prefix) == sent.end()) {
      sent.push_back(plan->prefix);
      made.prefix.clear();
    }
    found = found || machine.Run(made, policy).failure == FailureKind::kAssertion;
    search.Learn(*plan, machine.Trace());
    ASSERT_LT(plan->run, 100);
  }

  EXPECT_TRUE(found);
}

// Runs that can't be led anywhere show what they show by chance; all of it is learnt, and that is
// where the search ends.
TEST(HapsetTest, RunsThatNeverGoWhereTheyAreSentAreLearntFrom) {
  const Figure1 figure;
  Machine machine(figure.program);
  NonPreemptivePolicy policy;
  BacktrackSearch search(
      {}, {.name = "hapset", .rule = BacktrackRule::kOneThatLeadsThere, .guided = true});
  const std::vector<std::vector<Answer>> ways = {{}, {{1, 2}}};
  std::uint64_t runs = 0;
  while (const std::optional<Plan> plan = search.Next()) {
    Plan made = *plan;
    made.prefix = ways[runs++ % ways.size()];
    machine.Run(made, policy);
    search.Learn(*plan, machine.Trace());
    ASSERT_LT(runs, 1000);
  }

  // One thread wholly before the other, and the other way round: there is nothing to use yet.
  EXPECT_EQ(figure.letters.Of(search.hapsets()), (Sets{{"e1", {"e2"}}, {"e2", {"e4"}}}));
  EXPECT_FALSE(search.Complete());
}

// Both take the lock for the count, but for where it is set: that the other thread comes to it
// later is chance, and the second run tries it, before all that the two do with other things.
TEST(HapsetTest, AnAccessWithoutTheLockThatIsTakenElsewhereIsTriedFirst) {
  constexpr Object kCount = 0, kMutex = 1, kBegun = 2, kClosed = 3, kA = 4, kB = 5, kC = 6;
  const auto others = [](std::initializer_list<Step> before, std::initializer_list<Step> behind) {
    std::vector<Step> steps(before);
    for (const Object other : {kA, kB, kC}) steps.push_back(Add(other, Const(1)));
    steps.insert(steps.end(), behind);
    return steps;
  };
  Program program;
  program.Thread(others({SemPost(kBegun)}, {SemPost(kClosed), Write(kCount, Const(1)), Lock(kMutex),
                                            Read(kCount), Unlock(kMutex)}));
  program.Thread(others(
      {SemWait(kBegun)},
      {SemWait(kClosed), Lock(kMutex), Read(kCount).Assert(Is::kNotEqual, 0), Unlock(kMutex)}));

  EXPECT_EQ(SearchGuided(program).first_failure, 2);
}

// x and y are kept in step; who sees a new x must see a new y. Each is seen before and behind the
// other thread's accesses when the threads run one behind the other, and the lock that both take in
// passing keeps them so.
TEST(HapsetTest, AThreadIsLedBetweenTwoVariablesThatBelongTogether) {
  constexpr Object kX = 0, kY = 1, kOwn = 2, kMutex = 3;
  Program program;
  program.Thread({Write(kX, Const(1)), Write(kY, Const(1)), Lock(kMutex), Unlock(kMutex)});
  program.Thread({Lock(kMutex), Unlock(kMutex), Read(kX).Unless(Is::kEqual, 1, 1),
                  Write(kOwn, Const(1)), Read(kY).Unless(Is::kEqual, 0, 1),
                  Read(kOwn).Assert(Is::kNotEqual, 1)});

  EXPECT_NE(SearchGuided(program).first_failure, 0);
}

TEST(HapsetTest, GuidingBothDporAndABoundIsRefused) {
  EXPECT_FALSE(ParseStrategy("hapset:bound=2").ok());
  EXPECT_FALSE(ParseStrategy("hapset:over=dpor,bound=2").ok());
  EXPECT_TRUE(ParseStrategy("hapset:over=pcb,bound=2").ok());
}

}  // namespace
}  // namespace heddle::simulate
