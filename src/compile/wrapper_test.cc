#include "compile/wrapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compile/flags.h"
#include "compile/process.h"

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Toolchain Gcc() {
  Toolchain toolchain;
  toolchain.compiler = {"g++"};
  toolchain.runtime_directory = "/r";
  return toolchain;
}

Toolchain Clang() {
  Toolchain toolchain = Gcc();
  toolchain.compiler = {"clang++"};
  toolchain.family = CompilerFamily::kClang;
  return toolchain;
}

std::vector<std::string> Wrap(const Toolchain& toolchain,
                              const std::vector<std::string>& arguments) {
  const Result<WrappedCommand> wrapped = WrapCommand(toolchain, arguments);
  EXPECT_TRUE(wrapped.ok());
  return wrapped.ok() ? wrapped->command : std::vector<std::string>();
}

TEST(WrapperTest, LeavesQuestionsUntouched) {
  EXPECT_THAT(Wrap(Gcc(), {"--version"}), ::testing::ElementsAre("g++", "--version"));
}

TEST(WrapperTest, InstrumentsWhenCompilingAndBringsTheRuntimeWhenLinking) {
  const std::vector<std::string> compile = Wrap(Gcc(), {"-c", "a.cc"});
  const std::vector<std::string> link = Wrap(Gcc(), {"a.o"});

  EXPECT_THAT(compile, Contains("-fsanitize=thread"));
  EXPECT_THAT(compile, Not(Contains("/r/libheddle_engine.so")));
  EXPECT_THAT(link, Contains("/r/libheddle_hooks.a"));
  EXPECT_THAT(link, Contains("/r/libheddle_engine.so"));
  EXPECT_THAT(link, Not(Contains(HasSubstr("sanitize"))));
}

// The driver would link libtsan.
TEST(WrapperTest, HidesTheSanitizerFromADriverThatAlsoLinks) {
  EXPECT_THAT(Wrap(Gcc(), {"a.cc"}), Not(Contains("-fsanitize=thread")));
  EXPECT_THAT(Wrap(Gcc(), {"a.cc"}), Contains("-specs=/r/gcc.specs"));
  EXPECT_THAT(ShellLine(Wrap(Clang(), {"a.cc"})), HasSubstr("-Xclang -fsanitize=thread"));
}

TEST(WrapperTest, LeavesTheHooksOutOfSharedLibraries) {
  const std::vector<std::string> link = Wrap(Gcc(), {"-shared", "a.o"});

  EXPECT_THAT(link, Not(Contains("/r/libheddle_hooks.a")));
  EXPECT_THAT(link, Not(Contains(HasSubstr("dynamic-list"))));
  EXPECT_THAT(link, Contains("/r/libheddle_engine.so"));
}

TEST(WrapperTest, AddsNothingToARelocatableLink) {
  EXPECT_THAT(Wrap(Gcc(), {"-r", "a.o"}), ::testing::ElementsAre("g++", "-r", "a.o"));
}

TEST(WrapperTest, DropsTheUsersThreadSanitizerWithANote) {
  const Result<WrappedCommand> wrapped =
      WrapCommand(Gcc(), {"-fsanitize=thread,undefined", "a.o", "-ltsan"});

  ASSERT_TRUE(wrapped.ok());
  EXPECT_THAT(wrapped->command, Contains("-fsanitize=undefined"));
  EXPECT_THAT(wrapped->command, Not(Contains("-ltsan")));
  EXPECT_THAT(wrapped->notes, ::testing::SizeIs(1));
  EXPECT_THAT(WrapCommand(Gcc(), {"a.o"})->notes, IsEmpty());
}

TEST(WrapperTest, RefusesOtherSanitizersStaticAnd32BitProgramsWithAReason) {
  EXPECT_THAT(WrapCommand(Gcc(), {"-fsanitize=address", "-c", "a.cc"}).error().text,
              StartsWith("-fsanitize=address"));
  EXPECT_THAT(WrapCommand(Gcc(), {"-static", "a.o"}).error().text, HasSubstr("-static"));
  EXPECT_THAT(WrapCommand(Gcc(), {"-m32", "-c", "a.cc"}).error().text, HasSubstr("x86-64"));
  EXPECT_TRUE(WrapCommand(Gcc(), {"-static", "-c", "a.cc"}).ok());
}

// Our flags come first and so lose, except where the user's would open a hole.
TEST(WrapperTest, LetsTheUsersFlagsWinExceptForHoles) {
  const std::vector<std::string> command =
      Wrap(Gcc(), {"-g0", "-flto", "-D_FORTIFY_SOURCE=2", "-c", "a.cc"});

  const auto position = [&command](const std::string& word) {
    return std::ranges::find(command, word) - command.begin();
  };
  EXPECT_LT(position("-g"), position("-g0"));
  EXPECT_GT(position("-fno-lto"), position("-flto"));
  EXPECT_GT(position("-U_FORTIFY_SOURCE"), position("-D_FORTIFY_SOURCE=2"));
  EXPECT_EQ(Wrap(Clang(), {"--coverage", "-c", "a.cc"}).back(), "-fprofile-update=single");
}

TEST(WrapperTest, WrapsEveryLibcCallOfTheList) {
  const std::vector<std::string> flags = LinkFlags(Gcc(), LinkKind::kExecutable);

  for (const char* const name : {"memcpy", "memset", "strlen", "__strncat_chk"}) {
    EXPECT_THAT(flags, Contains(HasSubstr(std::string("--wrap=") + name)));
  }
}

TEST(WrapperTest, GlobsChooseWhatIsInstrumented) {
  Toolchain toolchain = Gcc();
  toolchain.only = {"src/*"};
  toolchain.exclude = {"*_generated.cc"};

  EXPECT_THAT(Wrap(toolchain, {"-c", "src/a.cc"}), Contains("-fsanitize=thread"));
  EXPECT_THAT(Wrap(toolchain, {"-c", "third_party/a.cc"}), Not(Contains("-fsanitize=thread")));
  EXPECT_THAT(Wrap(toolchain, {"-c", "src/x_generated.cc"}), Not(Contains("-fsanitize=thread")));
  // The runtime is linked all the same.
  EXPECT_THAT(Wrap(toolchain, {"third_party/a.cc"}), Contains("/r/libheddle_engine.so"));
  EXPECT_THAT(WrapCommand(toolchain, {"-c", "src/a.cc", "b.cc"}).error().text,
              HasSubstr("a command each"));
}

}  // namespace
}  // namespace heddle
