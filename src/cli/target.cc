#include "cli/target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <utility>

#include "cli/common.h"
#include "compile/process.h"
#include "compile/program.h"
#include "compile/toolchain.h"
#include "compile/wrapper.h"
#include "explore/program_file.h"

namespace heddle {
namespace {

Status Compile(const TargetWords& words, const CompileSettings& settings, Target* target) {
  for (const std::string& source : words.sources) {
    std::error_code ignored;
    if (!std::filesystem::exists(source, ignored)) {
      return Error{fmt::format("{}: no such file", source)};
    }
  }
  const Result<CompiledProgram> compiled =
      CompileProgram({.sources = words.sources,
                      .cxxflags = settings.cxxflags,
                      .ldflags = settings.ldflags,
                      .compiler = "",
                      .cache_directory = settings.out + "/programs",
                      .color = settings.color});
  if (!compiled) return compiled.error();
  Invocation& invocation = target->invocation;
  invocation.program = std::filesystem::absolute(compiled->path).string();
  invocation.sources = words.sources;
  invocation.cxxflags = settings.cxxflags;
  invocation.ldflags = settings.ldflags;
  for (const std::string& command : compiled->commands) {
    if (!invocation.compiler_line.empty()) invocation.compiler_line += " && ";
    invocation.compiler_line += command;
  }
  target->compile_seconds = compiled->seconds;
  target->compiler_messages = compiled->messages;
  if (const Result<Toolchain> toolchain = FindToolchain(Language::kCxx)) {
    std::string left_out;
    for (const std::string& source : words.sources) {
      if (IsInstrumented(*toolchain, source)) continue;
      left_out += (left_out.empty() ? "" : ", ") + source;
    }
    if (!left_out.empty()) {
      target->notes.push_back(fmt::format(
          "HEDDLE_ONLY and HEDDLE_EXCLUDE leave out {}: memory accesses there are not seen.",
          left_out));
    }
  }
  if (compiled->ndebug) {
    target->notes.push_back(
        "NDEBUG is defined: every assert() is compiled out and checks nothing.");
  }
  return {};
}

}  // namespace

Result<SplitCommand> SplitTarget(const CLI::App& app, const std::vector<std::string>& words) {
  SplitCommand split;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                          words.end());
      if (split.target.sources.empty()) {
        if (!rest.empty()) split.target.program = rest.front();
        if (!rest.empty()) split.target.arguments.assign(rest.begin() + 1, rest.end());
      } else {
        split.target.arguments = rest;
      }
      return split;
    }
    if (word.size() > 1 && word[0] == '-') {
      split.options.push_back(word);
      const CLI::Option* const option = app.get_option_no_throw(word);
      const bool takes_value = option != nullptr && option->get_items_expected_max() > 0;
      if (takes_value && i + 1 < words.size()) split.options.push_back(words[++i]);
      continue;
    }
    if (IsSourceName(word)) {
      split.target.sources.push_back(word);
      continue;
    }
    if (!split.target.sources.empty()) {
      return Error{fmt::format(
          "'{}' is not a C or C++ source; arguments of the program go behind --", word)};
    }
    split.target.program = word;
    split.target.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
    return split;
  }
  return split;
}

TargetWords TargetOf(const std::vector<std::string>& words) {
  TargetWords target;
  std::size_t i = 0;
  while (i < words.size() && IsSourceName(words[i])) target.sources.push_back(words[i++]);
  if (target.sources.empty() && i < words.size()) target.program = words[i++];
  target.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return target;
}

Result<std::string> FindEngine() {
  const Result<std::string> directory = FindRuntimeDirectory();
  if (!directory) return directory.error();
  const std::string path = *directory + "/libheddle_engine.so";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return Error{
        fmt::format("heddle's runtime is missing: {}; build or install heddle again", path)};
  }
  return path;
}

Result<Target> MakeTarget(const TargetWords& words, const CompileSettings& settings) {
  Target target;
  Invocation& invocation = target.invocation;
  invocation.heddle_version = kVersion;
  invocation.arguments = words.arguments;
  invocation.working_directory = std::filesystem::current_path().string();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    invocation.environment.emplace_back(*variable);
  }
  if (!words.sources.empty()) {
    if (Status compiled = Compile(words, settings, &target); !compiled) return compiled.error();
  } else {
    if (IsSourceName(words.program) && access(words.program.c_str(), X_OK) != 0) {
      return Error{fmt::format("{} is a source; name it before the --", words.program)};
    }
    invocation.program = words.program;
  }

  const Result<ProgramFile> program = InspectProgram(invocation.program);
  if (!program) return program.error();
  invocation.program = program->path;
  target.calls_ready = program->imports_ready;
  if (!program->links_engine) {
    const Result<std::string> engine = FindEngine();
    if (!engine) return engine.error();
    target.preload = *engine;
    target.notes.push_back(
        "The program was not built by heddle: schedules differ at synchronisation only, not at "
        "memory accesses.");
  }
  if (words.sources.empty() && program->links_engine && !program->imports_assert) {
    target.notes.push_back(
        "The program contains no assert() (or NDEBUG removed them): only crashes, exceptions, "
        "deadlocks and its exit status can show a fault.");
  }
  return target;
}

}  // namespace heddle
