#include "compile/wrapper.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <filesystem>
#include <iterator>

#include "compile/command_line.h"
#include "compile/flags.h"

namespace heddle {
namespace {

Status Refuse(const CommandLine& line) {
  if (!line.refused_sanitizer.empty()) {
    return Error{fmt::format(
        "-fsanitize={} brings a runtime that takes over threads and memory, as heddle's does; "
        "only one can: build without it for heddle (undefined works beside)",
        line.refused_sanitizer)};
  }
  if (line.is_32_bit && (line.compiles || line.links)) {
    return Error{"heddle's runtime is for x86-64 programs only; build without -m32, -mx32 or -m16"};
  }
  if (line.links && line.is_static && !line.is_shared && !line.is_relocatable) {
    return Error{
        "a static program leaves heddle no place between it and libc; link without -static "
        "(-static-libstdc++ and -static-libgcc are fine)"};
  }
  return {};
}

// Flags that undo what the user asked for, so they have to come last.
std::vector<std::string> OverridingFlags(const Toolchain& toolchain, const CommandLine& line) {
  std::vector<std::string> flags;
  // The names that --wrap replaces are gone when the linker sees compiled code for the first time.
  if (line.uses_lto) flags.emplace_back("-fno-lto");
  if (toolchain.family == CompilerFamily::kGcc) {
    // The checking inline functions end in builtins that are expanded unseen.
    if (line.is_fortified) flags.emplace_back("-U_FORTIFY_SOURCE");
    return flags;
  }
  // Atomic counters would be scheduling points at every branch.
  if (line.records_coverage) flags.emplace_back("-fprofile-update=single");
  // A part of a local object would count as the thread's own unless its own address got about: that
  // of the whole does not count. Asked so, all are others' business. Not where every local variable
  // lies in memory: loops that wait would be told apart by what they do to those.
  if (line.optimises) {
    flags.insert(flags.end(),
                 {"--start-no-unused-arguments", "-mllvm",
                  "-capture-tracking-max-uses-to-explore=0", "--end-no-unused-arguments"});
  }
  return flags;
}

// A glob fits a path as it is written, made absolute, or its last part alone.
bool Fits(const std::vector<std::string>& globs, const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path as_path(path);
  const std::string absolute = std::filesystem::absolute(as_path, ignored).string();
  for (const std::string& glob : globs) {
    for (const std::string& form : {path, absolute, as_path.filename().string()}) {
      if (fnmatch(glob.c_str(), form.c_str(), 0) == 0) return true;
    }
  }
  return false;
}

// Of one command, either all sources are instrumented or none: the flags are the command's.
Result<bool> Instruments(const Toolchain& toolchain, const CommandLine& line) {
  if (!line.compiles) return false;
  std::string with, without;
  for (const Input& input : line.inputs) {
    if (input.kind != InputKind::kSource) continue;
    (IsInstrumented(toolchain, input.path) ? with : without) = input.path;
  }
  if (!with.empty() && !without.empty()) {
    return Error{
        fmt::format("HEDDLE_ONLY and HEDDLE_EXCLUDE choose {} but not {}; compile them with a "
                    "command each",
                    with, without)};
  }
  return without.empty();
}

}  // namespace

bool IsInstrumented(const Toolchain& toolchain, const std::string& source) {
  return (toolchain.only.empty() || Fits(toolchain.only, source)) &&
         !Fits(toolchain.exclude, source);
}

Result<WrappedCommand> WrapCommand(const Toolchain& toolchain,
                                   const std::vector<std::string>& arguments) {
  const CommandLine line = ParseCommandLine(arguments);
  if (const Status status = Refuse(line); !status.ok()) return status.error();

  WrappedCommand wrapped;
  wrapped.command = toolchain.compiler;
  const auto add = [&wrapped](const std::vector<std::string>& flags) {
    wrapped.command.insert(wrapped.command.end(), flags.begin(), flags.end());
  };
  const bool brings_runtime = line.links && !line.is_relocatable;
  const Result<bool> instruments = Instruments(toolchain, line);
  if (!instruments.ok()) return instruments.error();
  if (*instruments) {
    add(CompileFlags(toolchain, line.links ? Step::kCompileAndLink : Step::kCompile));
  }
  if (brings_runtime) {
    add(LinkFlags(toolchain, line.is_shared ? LinkKind::kSharedLibrary : LinkKind::kExecutable));
  }

  if (line.thread_sanitizer.empty()) {
    add(arguments);
  } else {
    std::vector<std::string> kept = line.arguments;
    for (const CommandLine::ThreadSanitizer& asked : line.thread_sanitizer) {
      kept[asked.position] = asked.without_thread;
    }
    std::erase(kept, "");
    add(kept);
    if (line.compiles || line.links) {
      wrapped.notes.emplace_back(
          "left out -fsanitize=thread: heddle's own instrumentation and runtime take its place");
    }
  }
  if (line.compiles) add(OverridingFlags(toolchain, line));
  return wrapped;
}

}  // namespace heddle
