#include "report/layout.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(LayoutTest, WidthCountsCodePoints) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("✗ … ─"), 5u);
}

TEST(LayoutTest, CuttingShowsThatSomethingIsMissing) {
  EXPECT_EQ(CutTo("counter", 7), "counter");
  EXPECT_EQ(CutTo("counter", 4), "cou…");
  EXPECT_EQ(CutTo("größer", 4), "grö…");
  EXPECT_EQ(CutTo("counter", 0), "");
}

TEST(LayoutTest, PaddingGivesExactlyTheWidth) {
  EXPECT_EQ(PadTo("ab", 4), "ab  ");
  EXPECT_EQ(PadTo("ü", 3), "ü  ");
  EXPECT_EQ(PadTo("abcdef", 3), "ab…");
}

TEST(LayoutTest, TextIsBrokenAtBlanks) {
  EXPECT_EQ(WrapText("one two three", 8, "  "), "one two\n  three");
  EXPECT_EQ(WrapText("short", 8, "  "), "short");
  EXPECT_EQ(WrapText("unbreakable", 6, ""), "unbrea\nkable");
}

}  // namespace
}  // namespace heddle
