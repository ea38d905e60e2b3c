#include "cli/triage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::HasSubstr;

Explored WithRace() {
  Explored explored;
  Explored::Found found;
  found.finding.kind = FindingKind::kRace;
  found.finding.severity = Severity::kError;
  found.finding.message = "nothing orders the two";
  explored.found.push_back(found);
  return explored;
}

TEST(TriageTest, ARaceIsAnErrorWhereEverythingIsSeen) {
  Explored explored = WithRace();

  Triage::Doubt(Seen(), &explored);

  EXPECT_EQ(explored.found[0].finding.severity, Severity::kError);
}

TEST(TriageTest, ARaceIsAWarningWhereALoopThatNobodySeesMayBeALock) {
  Explored explored = WithRace();
  explored.uncontrolled.push_back(
      {.what = kUnseenLoopName, .site = "lock.h:12", .count = 3, .effect = ""});

  Triage::Doubt(Seen(), &explored);

  EXPECT_EQ(explored.found[0].finding.severity, Severity::kWarning);
  EXPECT_THAT(explored.found[0].finding.message, HasSubstr("unless the loop at lock.h:12 does"));
}

TEST(TriageTest, ARaceIsAWarningWhereALibraryHasLocksOfItsOwn) {
  Explored explored = WithRace();
  Seen seen;
  seen.locking_modules = {"libodd.so"};

  Triage::Doubt(seen, &explored);

  EXPECT_EQ(explored.found[0].finding.severity, Severity::kWarning);
  EXPECT_THAT(explored.found[0].finding.message, HasSubstr("unless libodd.so does"));
}

}  // namespace
}  // namespace heddle
