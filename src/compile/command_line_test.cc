#include "compile/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heddle {
namespace {

// "-" where nothing happens, otherwise the letters of what does.
std::string Actions(const std::vector<std::string>& arguments) {
  const CommandLine line = ParseCommandLine(arguments);
  std::string actions;
  if (line.compiles) actions += 'C';
  if (line.links) actions += 'L';
  return actions.empty() ? "-" : actions;
}

TEST(CommandLineTest, TellsCompilingFromLinking) {
  EXPECT_EQ(Actions({"a.cc"}), "CL");
  EXPECT_EQ(Actions({"a.cc", "b.o", "-o", "prog"}), "CL");
  EXPECT_EQ(Actions({"-c", "a.cc", "-o", "a.o"}), "C");
  EXPECT_EQ(Actions({"-E", "a.cc"}), "C");
  EXPECT_EQ(Actions({"-MM", "a.cc"}), "C");
  EXPECT_EQ(Actions({"-S", "a.c"}), "C");
  EXPECT_EQ(Actions({"a.o", "libb.a"}), "L");
  EXPECT_EQ(Actions({"-shared", "a.o", "-o", "liba.so"}), "L");
  EXPECT_EQ(Actions({"start.s"}), "L");
  EXPECT_EQ(Actions({"-c", "start.S"}), "-");
}

TEST(CommandLineTest, LeavesQuestionsAlone) {
  EXPECT_EQ(Actions({"--version"}), "-");
  EXPECT_EQ(Actions({"-v"}), "-");
  EXPECT_EQ(Actions({"-print-search-dirs"}), "-");
  EXPECT_EQ(Actions({"-dumpmachine"}), "-");
  EXPECT_EQ(Actions({"-dM", "-E", "-x", "c", "/dev/null"}), "C");
  EXPECT_EQ(Actions({}), "-");
}

TEST(CommandLineTest, DoesNotTakeTheValueOfAnOptionForAnInput) {
  EXPECT_EQ(Actions({"-o", "a.cc", "b.o"}), "L");
  EXPECT_EQ(Actions({"-include", "a.h", "-c", "b.s"}), "-");
  EXPECT_EQ(Actions({"-MF", "x.c", "-D", "Y.c", "-I", "z.c", "--version"}), "-");
}

TEST(CommandLineTest, FollowsTheLanguageOption) {
  EXPECT_EQ(Actions({"-x", "c++", "-", "-o", "prog"}), "CL");
  EXPECT_EQ(Actions({"-xc", "-c", "file.txt"}), "C");
  EXPECT_EQ(Actions({"-x", "assembler", "a.c", "-c"}), "-");
  EXPECT_EQ(Actions({"-x", "c++", "a.inc", "-x", "none", "b.o"}), "CL");
}

TEST(CommandLineTest, MakesPrecompiledHeadersWithoutLinking) {
  EXPECT_EQ(Actions({"all.h"}), "C");
  EXPECT_EQ(Actions({"-x", "c++-header", "all.h", "-o", "all.h.gch"}), "C");
}

TEST(CommandLineTest, RecognisesTheKindsOfLinks) {
  EXPECT_TRUE(ParseCommandLine({"-shared", "a.o"}).is_shared);
  EXPECT_TRUE(ParseCommandLine({"-r", "a.o"}).is_relocatable);
  EXPECT_TRUE(ParseCommandLine({"-Wl,-r", "a.o"}).is_relocatable);
  EXPECT_TRUE(ParseCommandLine({"-Xlinker", "--relocatable", "a.o"}).is_relocatable);
  EXPECT_TRUE(ParseCommandLine({"-static", "a.o"}).is_static);
  EXPECT_TRUE(ParseCommandLine({"-static-pie", "a.o"}).is_static);
  EXPECT_FALSE(ParseCommandLine({"-static-libstdc++", "-Wl,-Bstatic", "a.o"}).is_static);
}

TEST(CommandLineTest, SplitsTheSanitizers) {
  const CommandLine line =
      ParseCommandLine({"-fsanitize=undefined,thread", "-fsanitize=thread", "-ltsan", "a.cc"});

  ASSERT_EQ(line.thread_sanitizer.size(), 3u);
  EXPECT_EQ(line.thread_sanitizer[0].without_thread, "-fsanitize=undefined");
  EXPECT_EQ(line.thread_sanitizer[1].without_thread, "");
  EXPECT_EQ(line.thread_sanitizer[2].position, 2u);
  EXPECT_EQ(line.refused_sanitizer, "");
  EXPECT_EQ(ParseCommandLine({"-fsanitize=undefined,address"}).refused_sanitizer, "address");
  EXPECT_TRUE(ParseCommandLine({"-fno-sanitize=thread"}).thread_sanitizer.empty());
}

TEST(CommandLineTest, SeesWhetherAssertsAreCompiledOut) {
  EXPECT_TRUE(ParseCommandLine({"-DNDEBUG"}).defines_ndebug);
  EXPECT_TRUE(ParseCommandLine({"-D", "NDEBUG=1"}).defines_ndebug);
  EXPECT_FALSE(ParseCommandLine({"-DNDEBUG", "-UNDEBUG"}).defines_ndebug);
  EXPECT_FALSE(ParseCommandLine({"-DNDEBUG_NOT"}).defines_ndebug);
}

TEST(CommandLineTest, LooksIntoResponseFiles) {
  const std::string inner = ::testing::TempDir() + "/inner.rsp";
  const std::string outer = ::testing::TempDir() + "/outer.rsp";
  std::ofstream(inner) << "\"a b.cc\"\n-fsanitize=thread";
  std::ofstream(outer) << "-c @" << inner;

  const CommandLine line = ParseCommandLine({"@" + outer, "-o", "x.o"});

  EXPECT_TRUE(line.compiles);
  EXPECT_FALSE(line.links);
  ASSERT_EQ(line.inputs.size(), 1u);
  EXPECT_EQ(line.inputs[0].path, "a b.cc");
  EXPECT_EQ(line.thread_sanitizer.size(), 1u);
}

TEST(CommandLineTest, KeepsAResponseFileThatIsNotThere) {
  EXPECT_THAT(ParseCommandLine({"@/no/such/file"}).arguments,
              ::testing::ElementsAre("@/no/such/file"));
}

}  // namespace
}  // namespace heddle
