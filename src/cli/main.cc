// heddle: finds, replays and explains concurrency bugs in C and C++ programs.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench.h"
#include "cli/cc.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/doctor.h"
#include "cli/exit_code.h"
#include "cli/self_test.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

int DoctorCommandMain(const Words& words) {
  ColorChoice color;
  CLI::App app("Lists what this machine offers, what follows for heddle, and the remedies.",
               "heddle doctor");
  AddColorOption(&app, &color);
  if (const auto code = Parse(&app, words)) return *code;
  return RunDoctor(color.For(stdout));
}

int SelfTestCommandMain(const Words& words) {
  if (words == Words{"--help"} || words == Words{"-h"}) {
    fmt::print("heddle self-test [ctest options]\n\nRuns every test of this checkout.\n");
    return kExitFine;
  }
  return RunSelfTest(words);
}

int CCommandMain(const Words& words) { return RunCompilerWrapper(Language::kC, words); }
int CxxCommandMain(const Words& words) { return RunCompilerWrapper(Language::kCxx, words); }

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Words&);
};

constexpr Command kCommands[] = {
    {"run", "search the schedules of a program for one that fails", RunCommandMain},
    {"replay", "run a finding's schedule again, also under gdb", ReplayCommandMain},
    {"explain", "print a finding's report", ExplainCommandMain},
    {"list", "list the findings", ListCommandMain},
    {"clean", "remove findings", CleanCommandMain},
    {"cc", "compile C for heddle (also heddle-cc)", CCommandMain},
    {"c++", "compile C++ for heddle (also heddle-c++)", CxxCommandMain},
    {"bench", "print a table of measured figures", BenchCommandMain},
    {"doctor", "list what this machine offers", DoctorCommandMain},
    {"self-test", "run heddle's own tests", SelfTestCommandMain},
};

void PrintHelp(std::FILE* to) {
  fmt::print(to,
             "heddle {}: finds, replays and explains concurrency bugs in C and C++ programs\n\n"
             "  heddle run prog.cpp              compile instrumented, search schedules, report\n"
             "  heddle run -- ./prog args        a program built with heddle c++, or any other\n"
             "  heddle replay last               the same bug, every time\n\nCommands:\n",
             kVersion);
  for (const Command& command : kCommands) {
    fmt::print(to, "  {:<11}{}\n", command.name, command.summary);
  }
  fmt::print(to,
             "\nheddle COMMAND --help lists a command's options.\n"
             "Exit codes: 0 nothing found, 1 finding, 2 wrong usage, 3 environment or input, 70 a "
             "bug of ours\n");
}

int Dispatch(const std::string& self, const Words& words) {
  if (self == "heddle-cc") return CCommandMain(words);
  if (self == "heddle-c++") return CxxCommandMain(words);
  if (words.empty()) {
    PrintHelp(stderr);
    return kExitUsage;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    PrintHelp(stdout);
    return kExitFine;
  }
  if (words[0] == "--version") {
    fmt::print("heddle {}\n", kVersion);
    return kExitFine;
  }
  for (const Command& command : kCommands) {
    if (command.name == words[0]) return command.run({words.begin() + 1, words.end()});
  }
  if (words[0] == "explore-session") return SessionCommandMain({words.begin() + 1, words.end()});
  if (std::filesystem::exists(words[0])) {
    return Complain(
        fmt::format("there is no command '{0}'; to search its schedules: heddle run {0}", words[0]),
        kExitUsage);
  }
  return Complain(fmt::format("there is no command '{}'; heddle --help lists them", words[0]),
                  kExitUsage);
}

// Files opened later must not become somebody's standard output.
void OpenStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) {
      [[maybe_unused]] const int opened = open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
    }
  }
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  heddle::OpenStandardDescriptors();
  const std::string self = std::filesystem::path(argc > 0 ? argv[0] : "heddle").filename().string();
  try {
    return heddle::FinishOutput(heddle::Dispatch(self, {argv + (argc > 0 ? 1 : 0), argv + argc}));
  } catch (const std::bad_alloc&) {
    return heddle::Complain("out of memory", heddle::kExitEnvironment);
  } catch (const std::exception& error) {
    // As fmt::print says it.
    if (std::ferror(stdout) != 0) return heddle::FinishOutput(heddle::kExitEnvironment);
    return heddle::Complain(fmt::format("this is a bug in heddle: {}", error.what()),
                            heddle::kExitOurBug);
  }
}
