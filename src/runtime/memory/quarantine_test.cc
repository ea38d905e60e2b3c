#include "runtime/memory/quarantine.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(QuarantineTest, LetsTheOldestGoWhenItIsFull) {
  Quarantine quarantine;
  quarantine.Add({.base = 0x1000, .size = Quarantine::kMostBytes});
  EXPECT_FALSE(quarantine.IsFull());
  quarantine.Add({.base = 0x2000, .size = 16});
  EXPECT_TRUE(quarantine.IsFull());

  EXPECT_EQ(quarantine.TakeOldest().base, 0x1000u);

  EXPECT_FALSE(quarantine.IsFull());
  EXPECT_EQ(quarantine.Find(0x1000), nullptr);
  EXPECT_NE(quarantine.Find(0x2000), nullptr);
}

TEST(QuarantineTest, OffersTheBlockFreedLastThatFits) {
  Quarantine quarantine;
  quarantine.Add({.base = 0x1000, .size = 24});
  quarantine.Add({.base = 0x2000, .size = 32});
  quarantine.Add({.base = 0x3000, .size = 64});

  const FreedBlock latest = quarantine.LatestFor(20);
  EXPECT_EQ(latest.base, 0x2000u);
  quarantine.Take(latest);

  EXPECT_EQ(quarantine.LatestFor(20).base, 0x1000u);
  EXPECT_EQ(quarantine.LatestFor(400).base, 0u);
  EXPECT_EQ(quarantine.bytes(), 24u + 64u);
}

}  // namespace
}  // namespace heddle
