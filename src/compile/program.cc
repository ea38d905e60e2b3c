#include "compile/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>

#include "base/clock.h"
#include "base/hash.h"
#include "compile/command_line.h"
#include "compile/process.h"
#include "compile/program_cache.h"
#include "compile/toolchain.h"
#include "compile/wrapper.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCExtensions[] = {".c"};
constexpr std::string_view kCxxExtensions[] = {".cc", ".cpp", ".cxx", ".c++", ".C"};

// What else decides how compilers and linkers find files.
constexpr const char* kVariables[] = {"CPATH",        "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
                                      "LIBRARY_PATH", "COMPILER_PATH",  "GCC_EXEC_PREFIX"};

bool HasExtension(std::string_view path, std::span<const std::string_view> extensions) {
  const std::string extension = fs::path(path).extension();
  return std::ranges::find(extensions, extension) != extensions.end();
}

Language LanguageOf(const std::string& source) {
  return HasExtension(source, kCExtensions) ? Language::kC : Language::kCxx;
}

// In this order, so that the user's own flags win.
std::vector<std::string> DefaultFlags(Language language, bool color) {
  std::vector<std::string> flags = {"-O1", "-pthread"};
  if (language == Language::kCxx) flags.emplace_back("-std=gnu++20");
  if (color) flags.emplace_back("-fdiagnostics-color=always");
  return flags;
}

struct CompileStep {
  std::vector<std::string> command;
  std::string dependency_file;
};

// Everything to run, in order; the last one links.
struct Build {
  std::vector<CompileStep> steps;
  std::vector<std::string> compilers;  // the files; no dependency file names them
};

void Append(std::vector<std::string>* to, const std::vector<std::string>& more) {
  to->insert(to->end(), more.begin(), more.end());
}

// The command line has `folder` in it wherever something is written.
Result<Build> PlanBuild(const CompileRequest& request, const std::string& folder,
                        const std::string& program) {
  const std::vector<std::string> cxxflags = SplitWords(request.cxxflags);
  const bool only_c = std::ranges::all_of(request.sources, [](const std::string& source) {
    return LanguageOf(source) == Language::kC;
  });
  const Result<Toolchain> linker =
      FindToolchain(only_c ? Language::kC : Language::kCxx, request.compiler);
  if (!linker.ok()) return linker.error();

  Build build;
  std::vector<std::string> link;
  const auto add = [&build](const Toolchain& toolchain, const std::vector<std::string>& arguments,
                            std::string dependency_file) -> Status {
    Result<WrappedCommand> wrapped = WrapCommand(toolchain, arguments);
    if (!wrapped.ok()) return wrapped.error();
    build.steps.push_back({std::move(wrapped->command), std::move(dependency_file)});
    return {};
  };
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    const std::string& source = request.sources[i];
    const Language language = LanguageOf(source);
    const Result<Toolchain> toolchain = FindToolchain(language, request.compiler);
    if (!toolchain.ok()) return toolchain.error();
    const std::string stem = fmt::format("{}/{}-{}", folder, i, fs::path(source).stem().string());
    std::vector<std::string> arguments = DefaultFlags(language, request.color);
    Append(&arguments, cxxflags);
    if (language == Language::kC) {
      // The flags and the compiler may have been chosen with the C++ sources in mind.
      std::erase_if(arguments, [](const std::string& flag) {
        return flag.starts_with("-std=c++") || flag.starts_with("-std=gnu++");
      });
      Append(&arguments, {"-x", "c"});
    }
    Append(&arguments, {"-c", source, "-o", stem + ".o", "-MD", "-MF", stem + ".d"});
    if (const Status status = add(*toolchain, arguments, stem + ".d"); !status.ok()) {
      return status.error();
    }
    link.push_back(stem + ".o");
    build.compilers.push_back(toolchain->compiler_path);
  }
  Append(&link, {"-pthread"});
  Append(&link, cxxflags);
  Append(&link, SplitWords(request.ldflags));
  // gold can't say what it has read.
  if (std::ranges::find(link, "-fuse-ld=gold") == link.end()) {
    link.push_back("-Wl,--dependency-file=" + folder + "/link.d");
  }
  Append(&link, {"-o", folder + "/" + program});
  if (const Status status = add(*linker, link, folder + "/link.d"); !status.ok()) {
    return status.error();
  }
  return build;
}

// The dependency files of a finished build, each file once. What lies in `folder` is not an origin.
std::vector<Dependency> DependenciesOf(const Build& build, const std::string& folder) {
  std::vector<std::string> paths = build.compilers;
  for (const CompileStep& step : build.steps) {
    std::ifstream file(step.dependency_file);
    std::ostringstream text;
    text << file.rdbuf();
    for (const std::string& path : PrerequisitesIn(text.view())) {
      paths.push_back(fs::absolute(path).lexically_normal());
    }
  }
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::vector<Dependency> dependencies;
  const std::string absolute_folder = fs::absolute(folder).lexically_normal().string() + "/";
  for (const std::string& path : paths) {
    if (path.starts_with(absolute_folder)) continue;
    if (std::optional<Dependency> dependency = DescribeFile(path)) {
      dependencies.push_back(*std::move(dependency));
    }
  }
  return dependencies;
}

// Stands for everything that decides the result and is no dependency.
std::uint64_t KeyOf(const Build& build) {
  std::uint64_t key = HashText(fs::current_path().string());
  for (const char* const variable : kVariables) {
    const char* const value = std::getenv(variable);
    key = Mix(key, HashText(value == nullptr ? "" : value));
  }
  for (const CompileStep& step : build.steps) key = Mix(key, HashText(ShellLine(step.command)));
  return key;
}

Status CheckSources(const std::vector<std::string>& sources) {
  for (const std::string& source : sources) {
    std::ifstream file(source);
    if (!file || fs::is_directory(source)) {
      return Error{fmt::format("{}: no such file, or it can't be read", source)};
    }
  }
  return {};
}

Result<CompiledProgram> Run(const Build& build, std::size_t sources) {
  CompiledProgram program;
  for (std::size_t i = 0; i < build.steps.size(); ++i) {
    const std::vector<std::string>& command = build.steps[i].command;
    const Result<CommandOutput> output = RunCommand(command);
    if (!output.ok()) return output.error();
    if (output->exit_code != 0) {
      return Error{
          fmt::format("{}{}", output->text,
                      i < sources ? "the program does not compile" : "the program does not link")};
    }
    program.messages += output->text;
  }
  return program;
}

}  // namespace

bool IsSourceName(std::string_view path) {
  return HasExtension(path, kCExtensions) || HasExtension(path, kCxxExtensions);
}

Result<CompiledProgram> CompileProgram(const CompileRequest& request) {
  const double start = MonotonicSeconds();
  if (const Status status = CheckSources(request.sources); !status.ok()) return status.error();
  const std::string name = fs::path(request.sources.front()).stem();

  // The folder has another name each time, so the commands that are recorded and looked up by are
  // those that would do the same here.
  const Result<Build> nominal = PlanBuild(request, ".", name);
  if (!nominal.ok()) return nominal.error();
  const std::uint64_t key = KeyOf(*nominal);
  const auto finish = [&](CompiledProgram program) {
    program.ndebug = ParseCommandLine(SplitWords(request.cxxflags)).defines_ndebug;
    for (const CompileStep& step : nominal->steps) {
      program.commands.push_back(ShellLine(step.command));
    }
    program.seconds = MonotonicSeconds() - start;
    return program;
  };

  ProgramCache cache(fs::absolute(request.cache_directory));
  if (std::optional<std::string> path = cache.Find(key)) {
    CompiledProgram program;
    program.path = *std::move(path);
    program.was_cached = true;
    return finish(std::move(program));
  }

  const Result<std::string> folder = cache.NewFolder();
  if (!folder.ok()) return folder.error();
  const Result<Build> build = PlanBuild(request, *folder, name);
  if (!build.ok()) return build.error();
  Result<CompiledProgram> program = Run(*build, request.sources.size());
  if (!program.ok()) {
    std::error_code ignored;
    fs::remove_all(*folder, ignored);
    return program.error();
  }
  Result<std::string> kept = cache.Keep(key, *folder, name, DependenciesOf(*build, *folder));
  if (!kept.ok()) return kept.error();
  program->path = *std::move(kept);
  return finish(*std::move(program));
}

}  // namespace heddle
