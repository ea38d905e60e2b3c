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
            "T1        T2        S\n"
            "P------------------>0\n"
            "V------------------>1\n"
            "|         P-------->2\n"
            "|         V ...     |\n");
}

TEST(DiagramTest, ReportsRaceSetsAndTheRaceTable) {
  const Sequence sequence = Figure4();
  Races races;
  EXPECT_EQ(RaceReport(sequence, HeadingsOf({}, sequence, races), kNames),
            "race sets\n"
            "  S#0 open {P} took T1#0 P, race {T2#0 P}\n"
            "  S#1 open {V} took T1#1 V, race {}\n"
            "  S#2 open {P} took T2#0 P, race {}\n"
            "race table\n"
            "  S#0\n"
            "    1\n");
}

}  // namespace
}  // namespace heddle::reach
