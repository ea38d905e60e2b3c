#include "cli/test_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;

std::vector<std::string> NamesOf(const std::vector<TestCase>& cases) {
  std::vector<std::string> names;
  for (const TestCase& one : cases) names.push_back(one.name);
  return names;
}

TEST(TestCasesTest, AFrameworkIsKnownByItsOptions) {
  EXPECT_EQ(FrameworkIn("..gtest_list_tests.."), TestFramework::kGoogleTest);
  EXPECT_EQ(FrameworkIn("..list-test-names-only.."), TestFramework::kCatch2);
  EXPECT_EQ(FrameworkIn("..[doctest] listing.."), TestFramework::kDoctest);
  EXPECT_EQ(FrameworkIn("int main"), std::nullopt);
}

TEST(TestCasesTest, GoogleTestListsSuitesAndTheirCases) {
  const std::string text =
      "Running main() from gtest_main.cc\n"
      "Queue.\n  Pushes\n  DISABLED"
      "_Pops\n"  // in two: nothing is skipped here
      "All/Typed/0.  # TypeParam = int\n  Works/1  # GetParam() = 3\n";

  const auto cases = ParseList(TestFramework::kGoogleTest, text, {"--gtest_filter=*", "--x"});
  EXPECT_THAT(NamesOf(cases), ElementsAre("Queue.Pushes", "All/Typed/0.Works/1"));
  // One test's own filter replaces the user's.
  EXPECT_THAT(cases[0].arguments, ElementsAre("--x", "--gtest_filter=Queue.Pushes"));

  const auto all = ParseList(TestFramework::kGoogleTest, text, {"--gtest_also_run_disabled_tests"});
  EXPECT_EQ(all.size(), 3u);
}

TEST(TestCasesTest, VersionThreeOfCatchListsNamesQuietly) {
  EXPECT_EQ(FrameworkIn("..Catch2 v3.4.0..list-tests.."), TestFramework::kCatch3);
  EXPECT_EQ(FrameworkIn("..libCatch2.so.3.4.0.."), TestFramework::kCatch3);
  EXPECT_EQ(ListArguments(TestFramework::kCatch3, {"spec*"}),
            (std::vector<std::string>{"spec*", "--list-tests", "--verbosity", "quiet"}));
  const auto cases = ParseList(TestFramework::kCatch3, "plain\n\"#1 of two\"\n", {"spec*"});
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].arguments, std::vector<std::string>{"plain"});
  EXPECT_EQ(cases[1].name, "#1 of two");
}

TEST(TestCasesTest, CatchNamesAreEscaped) {
  const auto cases = ParseList(TestFramework::kCatch2, "plain\na, [b]\n", {"spec*", "--durations"});
  EXPECT_THAT(NamesOf(cases), ElementsAre("plain", "a, [b]"));
  EXPECT_THAT(cases[1].arguments, ElementsAre("--durations", "a\\, \\[b\\]"));
}

TEST(TestCasesTest, DoctestPrintsALineAboveAndBelow) {
  const std::string text =
      "[doctest] listing all test case names\n=====\nfirst\na, b\n=====\n[doctest] unskipped: 2\n";
  const auto cases = ParseList(TestFramework::kDoctest, text, {"-tc=first"});
  EXPECT_THAT(NamesOf(cases), ElementsAre("first", "a, b"));
  EXPECT_THAT(cases[1].arguments, ElementsAre("--test-case=a\\, b"));
}

}  // namespace
}  // namespace heddle
