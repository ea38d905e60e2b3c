#include "compile/toolchain.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>

#include "compile/process.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

// A path with blanks in it is still one word.
std::vector<std::string> WordsOf(const std::string& text) {
  if (text.find('/') != std::string::npos && access(text.c_str(), X_OK) == 0) return {text};
  return SplitWords(text);
}

std::optional<CompilerFamily> FamilyByName(const std::string& compiler) {
  const std::string name = fs::path(compiler).filename();
  if (name.find("clang") != std::string::npos) return CompilerFamily::kClang;
  if (name.find("gcc") != std::string::npos || name.find("g++") != std::string::npos) {
    return CompilerFamily::kGcc;
  }
  return std::nullopt;
}

Result<CompilerFamily> FamilyByAsking(const std::vector<std::string>& compiler) {
  std::vector<std::string> command = compiler;
  command.emplace_back("--version");
  const Result<CommandOutput> answer = RunCommand(command);
  if (!answer.ok()) return answer.error();
  if (answer->text.find("clang") != std::string::npos) return CompilerFamily::kClang;
  if (answer->text.find("Free Software Foundation") != std::string::npos) {
    return CompilerFamily::kGcc;
  }
  return Error{fmt::format(
      "{} is neither gcc nor clang; name one of them in HEDDLE_CC or HEDDLE_CXX", compiler.back())};
}

// A name without a slash is looked up as execvp would.
std::string FindOnPath(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (true) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string candidate = fmt::format("{}/{}", rest.substr(0, colon), name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    if (colon == rest.size()) return {};
    rest.remove_prefix(colon + 1);
  }
}

// Somebody may have put heddle-c++ first on the PATH as g++.
bool IsThisProgram(const std::string& path) {
  struct stat there;
  struct stat here;
  return stat(path.c_str(), &there) == 0 && stat("/proc/self/exe", &here) == 0 &&
         there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

}  // namespace

// Separated by colons, as in PATH.
static std::vector<std::string> GlobsIn(const char* variable) {
  std::vector<std::string> globs;
  const char* const value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) globs.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return globs;
}

Result<Toolchain> FindToolchain(Language language, std::string_view compiler) {
  const char* const variable = language == Language::kC ? "HEDDLE_CC" : "HEDDLE_CXX";
  Toolchain toolchain;
  toolchain.language = language;
  toolchain.only = GlobsIn("HEDDLE_ONLY");
  toolchain.exclude = GlobsIn("HEDDLE_EXCLUDE");
  toolchain.compiler = WordsOf(std::string(compiler));
  if (toolchain.compiler.empty()) {
    const char* const chosen = std::getenv(variable);
    if (chosen != nullptr) toolchain.compiler = WordsOf(chosen);
  }
  if (toolchain.compiler.empty()) {
    toolchain.compiler = {language == Language::kC ? "gcc" : "g++"};
  }

  for (const std::string& word : {toolchain.compiler.front(), toolchain.compiler.back()}) {
    const std::string found = FindOnPath(word);
    if (found.empty() || access(found.c_str(), X_OK) != 0) {
      return Error{fmt::format("there is no compiler {}; install it, or name another in {}", word,
                               variable)};
    }
    if (IsThisProgram(found)) {
      return Error{
          fmt::format("{} is heddle itself; name the real compiler in {}", word, variable)};
    }
    toolchain.compiler_path = found;
  }

  const std::optional<CompilerFamily> family = FamilyByName(toolchain.compiler.back());
  if (family) {
    toolchain.family = *family;
  } else {
    const Result<CompilerFamily> asked = FamilyByAsking(toolchain.compiler);
    if (!asked.ok()) return asked.error();
    toolchain.family = *asked;
  }

  Result<std::string> directory = FindRuntimeDirectory();
  if (!directory.ok()) return directory.error();
  toolchain.runtime_directory = *std::move(directory);
  const fs::path headers =
      fs::path(toolchain.runtime_directory).parent_path().parent_path() / "include";
  if (fs::exists(headers / "heddle")) toolchain.include_directory = headers;
  return toolchain;
}

Result<std::string> FindRuntimeDirectory() {
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  if (failure) return Error{"/proc is not mounted, so heddle can't find its runtime; mount it"};
  const fs::path directory = self.parent_path().parent_path() / "lib" / "heddle";
  for (const char* const part : {"libheddle_hooks.a", "libheddle_engine.so"}) {
    if (!fs::exists(directory / part, failure)) {
      return Error{
          fmt::format("{} is missing; build or install heddle again", (directory / part).string())};
    }
  }
  return directory.string();
}

bool IsCompilerName(std::string_view path) {
  static const std::regex kNames(R"((.*-)?(cc|c\+\+|gcc|g\+\+|clang|clang\+\+)(-[0-9.]+)?)");
  const std::string name = fs::path(path).filename();
  return std::regex_match(name, kNames);
}

}  // namespace heddle
