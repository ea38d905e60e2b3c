// The figures of the paper: the events as printed there, and the race sets that the text gives.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "reach/prefix_run.h"
#include "reach/races.h"
#include "reach/variant.h"

namespace heddle::reach {
namespace {

// A run in which the owners take sends in the given order; the events are then those of the figure.
struct Taken {
  Index owner = 0;
  SendName send;
};

Sequence RunInOrder(const Program& program, const std::vector<Taken>& order,
                    Scheme scheme = Scheme::kObjectCentric) {
  Sequence sequence;
  sequence.Reset({.threads = static_cast<Index>(program.threads.size()),
                  .owners = program.owners(),
                  .scheme = scheme});
  Machine machine(&program, &sequence);
  machine.RunLocal();
  for (const Taken& taken : order) {
    machine.Do({.who = taken.owner, .send = taken.send});
    machine.RunLocal();
  }
  return sequence;
}

// By receive in the order taken, the names of the sends in its race set.
std::vector<std::vector<SendName>> NamedRaces(const Sequence& sequence) {
  std::vector<std::vector<SendName>> named;
  for (const std::vector<Index>& race : RaceSets(sequence)) {
    named.emplace_back();
    for (const Index send : race) named.back().push_back(sequence.NameOfSend(send));
  }
  return named;
}

using Races = std::vector<std::vector<SendName>>;

TEST(FiguresTest, Figure1HasThreeSequencesByTwoVariants) {
  Program program;
  const Index p2 = AddObject(program, ObjectType::kAsyncPort, 0, 1);
  const Index p3 = AddObject(program, ObjectType::kAsyncPort, 0, 2);
  Writer(&program).Send(p2);
  Writer(&program).Receive(p2).Send(p3).Receive(p2);
  Writer(&program).Receive(p3).Send(p2).Receive(p3);
  Writer(&program).Send(p3);

  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ExploreResult result = ExploreProgram(program, {.seed = seed});
    EXPECT_EQ(result.counts.sequences, 3u);
    EXPECT_EQ(result.counts.variants, 2u);
  }
}

// T1 sends s1, s3 to p1 and T3 sends s2, s4 to p2; T2 takes s1, s2, s3, s4 by selecting. The paper
// says both that p2 is closed whenever p1 is selected and that it is open; its race sets need it
// open.
Program Figure3() {
  Program program;
  const Index p1 = AddObject(program, ObjectType::kSyncPort, 0, 1);
  const Index p2 = AddObject(program, ObjectType::kSyncPort, 0, 1);
  const Var taken = AddVariable(program);
  Writer(&program).Send(p1).Send(p1);
  Writer t2(&program);
  for (int i = 0; i < 4; ++i) {
    t2.Select({{.port = p1, .guard = {taken == 0}, .body = [&] { t2.Set(taken, 1); }},
               {.port = p2, .guard = {}, .body = [&] { t2.Set(taken, 0); }}});
  }
  Writer(&program).Send(p2).Send(p2);
  return program;
}

TEST(FiguresTest, Figure3HasTheRaceSetsOfThePaper) {
  const Program program = Figure3();
  const Index t2 = program.OwnerOfThread(1);

  const Sequence sequence =
      RunInOrder(program, {{t2, {0, 0}}, {t2, {2, 0}}, {t2, {0, 1}}, {t2, {2, 1}}});

  // race(r1) = {s2}, race(r2) = {}, race(r3) = {s4}, race(r4) = {}.
  EXPECT_EQ(NamedRaces(sequence), (Races{{{2, 0}}, {}, {{2, 1}}, {}}));
}

TEST(FiguresTest, Figure11HasTheRaceTableOfFigure3) {
  const Program program = Figure3();
  const Index t2 = program.OwnerOfThread(1);
  const Sequence sequence =
      RunInOrder(program, {{t2, {0, 0}}, {t2, {2, 0}}, {t2, {0, 1}}, {t2, {2, 1}}});

  reach::Races races;
  const std::vector<Heading> headings = HeadingsOf({}, sequence, races);
  std::vector<std::vector<int>> rows;
  ForEachRow(sequence, headings,
             [&](std::span<const int> row) { rows.emplace_back(row.begin(), row.end()); });

  ASSERT_EQ(headings.size(), 2u);
  EXPECT_EQ(headings[0].receive, 0u);
  EXPECT_EQ(headings[1].receive, 2u);
  EXPECT_EQ(rows, (std::vector<std::vector<int>>{{0, 1}, {1, -1}}));
}

TEST(FiguresTest, Figure4ABinarySemaphoreHasTheRaceSetsOfThePaper) {
  Program program;
  const Index s = AddObject(program, ObjectType::kBinarySemaphore, 1);
  Writer(&program).P(s).V(s);
  Writer(&program).P(s).V(s);

  const Sequence sequence =
      RunInOrder(program, {{s, {0, 0}}, {s, {0, 1}}, {s, {1, 0}}, {s, {1, 1}}});

  EXPECT_EQ(NamedRaces(sequence), (Races{{{1, 0}}, {}, {}, {}}));
  // The open lists alternate: P, V, P, V.
  for (const Receive& receive : sequence.receives()) {
    const std::span<const Open> open = sequence.OpenListOf(receive);
    ASSERT_EQ(open.size(), 1u);
    EXPECT_EQ(open[0].operation, receive.number % 2 == 0 ? Operation::kP : Operation::kV);
  }
}

TEST(FiguresTest, Figure5ARecursiveLockHasTheRaceSetsOfThePaper) {
  Program program;
  const Index k = AddObject(program, ObjectType::kLock);
  Writer(&program).Lock(k).Lock(k).Unlock(k).Unlock(k);
  Writer(&program).Lock(k).Unlock(k);

  const Sequence sequence = RunInOrder(
      program, {{k, {0, 0}}, {k, {0, 1}}, {k, {0, 2}}, {k, {0, 3}}, {k, {1, 0}}, {k, {1, 1}}});

  EXPECT_EQ(NamedRaces(sequence), (Races{{{1, 0}}, {}, {}, {}, {}, {}}));
}

TEST(FiguresTest, Figure6TwoMonitorsHaveTheRaceSetsOfThePaper) {
  Program program;
  const Index m1 = AddObject(program, ObjectType::kMonitorSC);
  const Index m2 = AddObject(program, ObjectType::kMonitorSC);
  const Index c = AddCondition(program, m1);
  Writer(&program).Enter(m1).Wait(c).Exit(m1).Enter(m2).Exit(m2);
  Writer(&program).Enter(m1).Signal(c).Exit(m1);
  Writer(&program).Enter(m2).Exit(m2).Enter(m1).Exit(m1);

  const Sequence sequence = RunInOrder(program, {{m1, {0, 0}},    // e1: T1 enters M1 and waits
                                                 {m1, {1, 0}},    // e2: T2 enters M1 and signals
                                                 {m1, {0, 1}},    // e3: T1 re-enters M1
                                                 {m2, {0, 2}},    // e4: T1 enters M2
                                                 {m2, {2, 0}},    // e5: T3 enters M2
                                                 {m1, {2, 1}}});  // e6: T3 enters M1

  // race(e1) = {c2}, race(e4) = {c5}; c3, the re-entry, is not in race(e2): the signal came before
  // it.
  EXPECT_EQ(NamedRaces(sequence), (Races{{{1, 0}}, {}, {}, {{2, 0}}, {}, {}}));
  EXPECT_TRUE(sequence.PrecedesSend(1, sequence.SendsOf(0)[1]));
}

TEST(FiguresTest, TheThreadCentricSchemeGivesTheRaceSetsOfFigure6Too) {
  Program program;
  const Index m1 = AddObject(program, ObjectType::kMonitorSC);
  const Index c = AddCondition(program, m1);
  Writer(&program).Enter(m1).Wait(c).Exit(m1);
  Writer(&program).Enter(m1).Signal(c).Exit(m1);

  const std::vector<Taken> order = {{m1, {0, 0}}, {m1, {1, 0}}, {m1, {0, 1}}};
  const Sequence objects = RunInOrder(program, order, Scheme::kObjectCentric);
  const Sequence threads = RunInOrder(program, order, Scheme::kThreadCentric);

  EXPECT_EQ(NamedRaces(objects), (Races{{{1, 0}}, {}, {}}));
  EXPECT_EQ(NamedRaces(threads), NamedRaces(objects));
}

}  // namespace
}  // namespace heddle::reach
