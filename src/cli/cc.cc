#include "cli/cc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/exit_code.h"
#include "compile/flags.h"
#include "compile/process.h"
#include "compile/wrapper.h"

namespace heddle {
namespace {

void Say(Language language, const std::string& text) {
  fmt::print(stderr, "heddle {}: {}\n", language == Language::kC ? "cc" : "c++", text);
}

int Become(Language language, const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  Say(language, fmt::format("can't start {}: {}", command[0], std::strerror(errno)));
  return kExitEnvironment;
}

}  // namespace

int RunCompilerWrapper(Language language, std::vector<std::string> arguments) {
  constexpr std::string_view kCompileQuestion = "--heddle-print-compile-flags";
  constexpr std::string_view kLinkQuestion = "--heddle-print-link-flags";
  constexpr std::string_view kCommandQuestion = "--heddle-print-command";

  std::string compiler;
  if (!arguments.empty() && IsCompilerName(arguments[0])) {
    compiler = arguments[0];
    arguments.erase(arguments.begin());
  }
  const Result<Toolchain> toolchain = FindToolchain(language, compiler);
  if (!toolchain.ok()) {
    Say(language, toolchain.error().text);
    return kExitEnvironment;
  }

  const std::string question = arguments.empty() ? std::string() : arguments[0];
  if (question == kCompileQuestion) {
    fmt::print("{}\n", ShellLine(CompileFlags(*toolchain, Step::kCompile)));
    return kExitFine;
  }
  if (question == kLinkQuestion) {
    const bool is_shared = std::ranges::find(arguments, "-shared") != arguments.end();
    fmt::print("{}\n", ShellLine(LinkFlags(*toolchain, is_shared ? LinkKind::kSharedLibrary
                                                                 : LinkKind::kExecutable)));
    return kExitFine;
  }
  if (question == kCommandQuestion) arguments.erase(arguments.begin());

  const Result<WrappedCommand> wrapped = WrapCommand(*toolchain, arguments);
  if (!wrapped.ok()) {
    Say(language, wrapped.error().text);
    return kExitUsage;
  }
  if (question == kCommandQuestion) {
    fmt::print("{}\n", ShellLine(wrapped->command));
    return kExitFine;
  }
  for (const std::string& note : wrapped->notes) Say(language, "note: " + note);
  return Become(language, wrapped->command);
}

}  // namespace heddle
