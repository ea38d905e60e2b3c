#include "compile/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RunCommandTest, ReturnsBothStreamsAndTheExitCode) {
  const Result<CommandOutput> output = RunCommand({"sh", "-c", "echo out; echo err >&2; exit 7"});

  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->exit_code, 7);
  EXPECT_EQ(output->text, "out\nerr\n");
}

TEST(RunCommandTest, TellsASignalAsAShellWould) {
  const Result<CommandOutput> output = RunCommand({"sh", "-c", "kill -9 $$"});

  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->exit_code, 128 + 9);
}

TEST(RunCommandTest, NamesACommandThatIsNotThere) {
  const Result<CommandOutput> output = RunCommand({"no-such-command-of-heddle"});

  ASSERT_FALSE(output.ok());
  EXPECT_THAT(output.error().text, HasSubstr("no-such-command-of-heddle"));
}

TEST(SplitWordsTest, KeepsQuotedAndEscapedBlanks) {
  EXPECT_THAT(SplitWords("-DA='x y'  \"b c\"\n\td\\ e ''"),
              ElementsAre("-DA=x y", "b c", "d e", ""));
}

TEST(ShellLineTest, ComesBackThroughSplitWords) {
  const std::vector<std::string> words = {"g++", "-DNAME=\"a b\"", "it's",
                                          "",    "$HOME",          "back\\slash"};

  EXPECT_EQ(SplitWords(ShellLine({"g++", "a.cc"})), (std::vector<std::string>{"g++", "a.cc"}));
  EXPECT_EQ(SplitWords(ShellLine(words)), words);
}

}  // namespace
}  // namespace heddle
