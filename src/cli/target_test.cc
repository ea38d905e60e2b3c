#include "cli/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SplitTargetTest : public ::testing::Test {
 protected:
  SplitTargetTest() : app_("", "heddle run") {
    app_.add_option("--runs", runs_);
    app_.add_flag("--keep-going", keep_going_);
  }
  Result<SplitCommand> Split(const std::vector<std::string>& words) {
    return SplitTarget(app_, words);
  }

  CLI::App app_;
  int runs_ = 0;
  bool keep_going_ = false;
};

TEST_F(SplitTargetTest, OptionsMayStandOnEitherSideOfSources) {
  const auto split = Split({"--runs", "5", "a.cpp", "--keep-going", "b.c", "--", "-x", "y.cpp"});

  ASSERT_TRUE(split.ok());
  EXPECT_THAT(split->options, ElementsAre("--runs", "5", "--keep-going"));
  EXPECT_THAT(split->target.sources, ElementsAre("a.cpp", "b.c"));
  EXPECT_THAT(split->target.arguments, ElementsAre("-x", "y.cpp"));
}

TEST_F(SplitTargetTest, AProgramTakesAllWordsBehindIt) {
  const auto split = Split({"--runs=5", "./prog", "--runs", "7", "--", "a.cpp"});

  ASSERT_TRUE(split.ok());
  EXPECT_THAT(split->options, ElementsAre("--runs=5"));
  EXPECT_EQ(split->target.program, "./prog");
  EXPECT_THAT(split->target.arguments, ElementsAre("--runs", "7", "--", "a.cpp"));
}

TEST_F(SplitTargetTest, BehindTheDashesEverythingIsTheProgram) {
  const auto split = Split({"--keep-going", "--", "./prog", "--keep-going"});

  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->target.program, "./prog");
  EXPECT_THAT(split->target.arguments, ElementsAre("--keep-going"));
  EXPECT_THAT(split->target.sources, IsEmpty());
}

TEST_F(SplitTargetTest, AWordBetweenSourcesThatIsNoneIsRefused) {
  const auto split = Split({"a.cpp", "input.txt"});

  ASSERT_FALSE(split.ok());
  EXPECT_THAT(split.error().text, HasSubstr("go behind --"));
}

}  // namespace
}  // namespace heddle
