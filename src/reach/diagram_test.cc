#include "reach/diagram.h"

#include <gtest/gtest.h>

#include "reach/machine.h"

namespace heddle::reach {
namespace {

// Figure 4 of the paper: two threads and a binary semaphore.
Sequence Figure4() {
  Program program;
  const Index s = AddObject(program, ObjectType::kBinarySemaphore, 1);
  Writer(&program).P(s).V(s);
  Writer(&program).P(s).V(s);
  Sequence sequence;
  sequence.Reset({.threads = 2, .owners = program.owners()});
  Machine machine(&program, &sequence);
  machine.RunLocal();
  for (const SendName& send : {SendName{0, 0}, SendName{0, 1}, SendName{1, 0}}) {
    machine.Do({.who = s, .send = send});
    machine.RunLocal();
  }
  return sequence;
}

const DiagramNames kNames = {
    .threads = {"T1", "T2"}, .owners = {"S", "", ""}, .receivers = {kNone, 0, 1}};

TEST(DiagramTest, DrawsThreadsAndObjectsAsColumnsAndPairsAsArrows) {
  EXPECT_EQ(Diagram(Figure4(), kNames),
            "   T1   T2      S\n"
            "1  P----+------>0\n"
            "2  V----+------>1\n"
            "3  |    P------>2\n"
            "4  |    V ...   |\n");
}

TEST(DiagramTest, ReportsRaceSetsAndTheRaceTable) {
  const Sequence sequence = Figure4();
  Races races;
  EXPECT_EQ(RaceReport(sequence, HeadingsOf({}, sequence, races), kNames),
            "race sets\n"
            "  S#0 open {P} took T1#0 P race {T2#0 P}\n"
            "  S#1 open {V} took T1#1 V race {}\n"
            "  S#2 open {P} took T2#0 P race {}\n"
            "race table\n"
            "  S#0\n"
            "    1\n");
}

// Messages in both directions, to oneself, and over the columns of others; names of any length.
TEST(DiagramTest, KeepsColumnsStraightForLongNamesAndMessagesInBothDirections) {
  Sequence sequence;
  constexpr Index kThreads = 6;
  sequence.Reset({.threads = kThreads, .owners = kThreads});
  const auto pass = [&](Index from, Index port, Index to) {
    const Index send = sequence.AddSend(from, port, to, Operation::kSend, Order::kPerSender);
    const Open open{port, Operation::kSend};
    sequence.AddReceive(to, send, {&open, 1}, to);
  };
  pass(0, 7, 5);
  pass(5, 7, 0);
  pass(3, 8, 1);
  pass(2, 9, 2);
  DiagramNames names;
  names.threads = {"T1", "T1.2", "a thread with a name", "T3", "T4", "T5"};
  names.owners = names.threads;
  names.receivers = {0, 1, 2, 3, 4, 5};
  names.ports = {{8, "p8"}};

  EXPECT_EQ(Diagram(sequence, names),
            "   T1     T1.2   a thread with a name   T3        T5\n"
            "1  send---+------+----------------------+-------->0\n"
            "2  0<-----+------+----------------------+---------send\n"
            "3  |      0<-----+----------------------send p8   |\n"
            "4  |      |      send->0                |         |\n");
}

TEST(DiagramTest, NumbersItsLinesAndRepeatsTheTitlesOfALongOne) {
  Sequence sequence;
  sequence.Reset({.threads = 1, .owners = 1});
  for (int i = 0; i < 100; ++i) {
    const Index send = sequence.AddSend(0, 0, 0, Operation::kV, Order::kNone);
    const Open open{0, Operation::kV};
    sequence.AddReceive(0, send, {&open, 1}, kNone);
  }
  const std::string text =
      Diagram(sequence, {.threads = {"T1"}, .owners = {"sem1"}, .receivers = {kNone}});

  EXPECT_NE(text.find("  1  V--->0\n  2  V--->1\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 40  V--->39\n     T1   sem1\n 41  V--->40\n"), std::string::npos) << text;
  EXPECT_NE(text.find("100  V--->99\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace heddle::reach
