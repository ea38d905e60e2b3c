// CompileProgram and DescribeInstrumentation with real compilers, against the fake engine.
#include "compile/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "compile/instrumentation.h"
#include "compile/process.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// An empty folder, which is also the working directory.
class ProgramTest : public ::testing::TestWithParam<const char*> {
 protected:
  ProgramTest() {
    std::string name = ::testing::TempDir() + "/heddle-program-XXXXXX";
    folder_ = mkdtemp(name.data());
    fs::current_path(folder_);
    request_.compiler = GetParam();
    request_.cache_directory = "cache";
  }
  ~ProgramTest() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }
  // clang++ is optional on a user's machine; CI installs it.
  void SetUp() override {
    if (!RunCommand({GetParam(), "--version"}).ok()) {
      GTEST_SKIP() << GetParam() << " is not installed";
    }
  }

  void Write(const std::string& name, std::string_view text) { std::ofstream(name) << text; }

  CompiledProgram Compile() {
    Result<CompiledProgram> program = CompileProgram(request_);
    EXPECT_TRUE(program.ok()) << program.error().text;
    return program.ok() ? *program : CompiledProgram();
  }

  std::string folder_;
  CompileRequest request_;
};

TEST_P(ProgramTest, CompilesASourceOnce) {
  Write("a.cpp", "#include \"a.h\"\n#include <cstdio>\nint main() { std::puts(TEXT); }\n");
  Write("a.h", "#define TEXT \"one\"\n");
  request_.sources = {"a.cpp"};

  const CompiledProgram first = Compile();
  const CompiledProgram second = Compile();

  EXPECT_FALSE(first.was_cached);
  EXPECT_GT(first.seconds, 0);
  EXPECT_TRUE(second.was_cached);
  EXPECT_EQ(first.path, second.path);
  EXPECT_EQ(first.commands, second.commands);
  EXPECT_THAT(first.commands.front(), HasSubstr("-c a.cpp"));
  EXPECT_EQ(RunCommand({first.path})->text, "one\n");
}

TEST_P(ProgramTest, CompilesAgainWhenAHeaderOrAFlagChanges) {
  Write("a.cpp", "#include \"a.h\"\n#include <cstdio>\nint main() { std::puts(TEXT); }\n");
  Write("a.h", "#define TEXT \"one\"\n");
  request_.sources = {"a.cpp"};
  Compile();

  Write("a.h", "#define TEXT \"three\"\n");
  const CompiledProgram changed = Compile();
  request_.cxxflags = "-DTEXT='\"flag\"' -w";
  const CompiledProgram flagged = Compile();

  EXPECT_FALSE(changed.was_cached);
  EXPECT_EQ(RunCommand({changed.path})->text, "three\n");
  EXPECT_FALSE(flagged.was_cached);
}

TEST_P(ProgramTest, LinksSeveralSourcesOfBothLanguages) {
  Write("main.cc", "extern \"C\" int Part(void);\nint main() { return Part(); }\n");
  Write("part.c", "int Part(void) { int new = 7; return new; }\n");
  request_.sources = {"main.cc", "part.c"};
  request_.cxxflags = "-std=c++17";

  EXPECT_EQ(RunCommand({Compile().path})->exit_code, 7);
}

TEST_P(ProgramTest, RelinksWhenALibraryChanges) {
  Write("main.cc", "int Part();\nint main() { return Part(); }\n");
  const auto make_library = [this](const std::string& value) {
    Write("part.cc", "int Part() { return " + value + "; }\n");
    EXPECT_EQ(RunCommand({GetParam(), "-c", "part.cc"})->exit_code, 0);
    fs::remove("libpart.a");
    EXPECT_EQ(RunCommand({"ar", "rcs", "libpart.a", "part.o"})->exit_code, 0);
  };
  request_.sources = {"main.cc"};
  request_.ldflags = "-L. -lpart";

  make_library("3");
  EXPECT_EQ(RunCommand({Compile().path})->exit_code, 3);
  make_library("4");
  EXPECT_EQ(RunCommand({Compile().path})->exit_code, 4);
}

TEST_P(ProgramTest, GivesTheCompilersMessageOnce) {
  Write("wrong.cpp", "int main() { return not_declared; }\n");
  request_.sources = {"wrong.cpp"};

  const Result<CompiledProgram> program = CompileProgram(request_);

  ASSERT_FALSE(program.ok());
  const std::string& text = program.error().text;
  EXPECT_THAT(text, HasSubstr("wrong.cpp:1:21: error:"));
  EXPECT_EQ(text.find("error:"), text.rfind("error:"));
  EXPECT_THAT(text, EndsWith("the program does not compile"));
  for (const auto& entry : fs::directory_iterator("cache")) ADD_FAILURE() << entry.path();
}

TEST_P(ProgramTest, KeepsWarnings) {
  Write("a.cpp", "int main() { int unused; }\n");
  request_.sources = {"a.cpp"};
  request_.cxxflags = "-Wall";

  EXPECT_THAT(Compile().messages, HasSubstr("warning: unused variable"));
}

TEST_P(ProgramTest, KnowsWhetherAssertsAreCompiledOut) {
  Write("a.cpp", "int main() {}\n");
  request_.sources = {"a.cpp"};

  EXPECT_FALSE(Compile().ndebug);
  request_.cxxflags = "-O2 -DNDEBUG";
  EXPECT_TRUE(Compile().ndebug);
}

TEST_P(ProgramTest, NamesASourceThatIsNotThere) {
  request_.sources = {"nothing.cpp"};

  EXPECT_THAT(CompileProgram(request_).error().text, HasSubstr("nothing.cpp: no such file"));
}

TEST_P(ProgramTest, RefusesAnotherSanitizer) {
  Write("a.cpp", "int main() {}\n");
  request_.sources = {"a.cpp"};
  request_.cxxflags = "-fsanitize=address";

  EXPECT_THAT(CompileProgram(request_).error().text, HasSubstr("-fsanitize=address"));
}

TEST_P(ProgramTest, ListsFunctionsThatAreLeftOut) {
  Write("marks.h", "#define QUIETLY __attribute__((no_sanitize(\"thread\")))\n");
  Write("a.cpp",
        "#include \"marks.h\"\n"
        "int shared;\n"
        "QUIETLY __attribute__((noinline)) int Hidden(int* p) { return ++*p; }\n"
        "__attribute__((noinline)) int Seen(int* p) { return ++*p; }\n"
        "__attribute__((noinline)) int Pure(int x) { return x + 1; }\n"
        "int main() { return Hidden(&shared) + Seen(&shared) + Pure(0) - 4; }\n");
  request_.sources = {"a.cpp"};

  const Result<Instrumentation> seen = DescribeInstrumentation(Compile().path);

  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(seen->instrumented_units, 1);
  EXPECT_THAT(seen->plain_units, IsEmpty());
  EXPECT_THAT(seen->unseen_functions,
              ElementsAre(UnseenFunction{"Hidden", fs::current_path() / "a.cpp", 3}));
}

TEST_P(ProgramTest, ListsUnitsThatAreNotInstrumented) {
  Write("main.cc", "int Part();\nint Pure(int);\nint main() { return Part() + Pure(-1); }\n");
  Write("pure.cc", "int Pure(int x) { return x; }\n");
  Write("part.cc", "int calls;\nint Part() { return ++calls; }\n");
  ASSERT_EQ(RunCommand({GetParam(), "-g", "-c", "part.cc"})->exit_code, 0);
  request_.sources = {"main.cc", "pure.cc"};
  request_.ldflags = "part.o";

  const Result<Instrumentation> seen = DescribeInstrumentation(Compile().path);

  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(seen->instrumented_units, 2);
  EXPECT_THAT(seen->plain_units, ElementsAre(EndsWith("/part.cc")));
}

TEST_P(ProgramTest, SeesIntoSharedLibraries) {
  Write("lib.cc",
        "int calls;\n"
        "__attribute__((no_sanitize_thread)) int Hidden() { return ++calls; }\n"
        "int Seen() { return ++calls; }\n");
  request_.sources = {"lib.cc"};
  for (const char* const flags : {"-shared -fPIC", "-shared -fPIC -fno-plt"}) {
    request_.cxxflags = flags;

    const Result<Instrumentation> seen = DescribeInstrumentation(Compile().path);

    ASSERT_TRUE(seen.ok());
    EXPECT_EQ(seen->instrumented_units, 1);
    ASSERT_EQ(seen->unseen_functions.size(), 1u) << flags;
    EXPECT_EQ(seen->unseen_functions[0].name, "Hidden");
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, ProgramTest,
                         ::testing::Values("g++", "clang++-14", "clang++-19"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

TEST(InstrumentationTest, RefusesWhatIsNoProgram) {
  EXPECT_THAT(DescribeInstrumentation("/etc/passwd").error().text, HasSubstr("is not a program"));
  EXPECT_THAT(DescribeInstrumentation("/no/such/file").error().text, HasSubstr("is not a program"));
}

TEST(SourceNameTest, IsTheListOfTheManual) {
  EXPECT_TRUE(IsSourceName("a.c"));
  EXPECT_TRUE(IsSourceName("dir.x/a.cpp"));
  EXPECT_FALSE(IsSourceName("a.out"));
  EXPECT_FALSE(IsSourceName("prog"));
}

}  // namespace
}  // namespace heddle
