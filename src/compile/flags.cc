#include "compile/flags.h"

#include "runtime/hooks/libc_calls.h"
#include "runtime/hooks/libstdcxx_calls.h"

namespace heddle {
namespace {

// Functions that g++ expands in place behind the instrumentation's back when the size is known.
// Not in the list: what C++ programs use in constant expressions (strlen, strcmp, memcmp, memchr);
// of these only memcmp is ever expanded, and C has no constant expressions to lose.
constexpr const char* kExpandedByGcc[] = {"memcpy",  "memmove",  "memset",   "mempcpy",  "bzero",
                                          "strcpy",  "stpcpy",   "strncpy",  "strcat",   "strncat",
                                          "sprintf", "snprintf", "vsprintf", "vsnprintf"};
constexpr const char* kExpandedByGccInC[] = {"memcmp", "bcmp"};

void AddGccFlags(const Toolchain& toolchain, Step step, std::vector<std::string>* flags) {
  flags->push_back(step == Step::kCompile ? "-fsanitize=thread"
                                          : "-specs=" + toolchain.runtime_directory + "/gcc.specs");
  flags->push_back("-Wno-tsan");  // fences are no problem for heddle, and -Werror is common
  for (const char* const name : kExpandedByGcc) {
    flags->push_back(std::string("-fno-builtin-") + name);
  }
  if (toolchain.language == Language::kC) {
    for (const char* const name : kExpandedByGccInC) {
      flags->push_back(std::string("-fno-builtin-") + name);
    }
  }
  flags->push_back("--param=builtin-string-cmp-inline-length=0");
}

void AddClangFlags(Step step, std::vector<std::string>* flags) {
  // One of several inputs may be an assembler file, and -Werror is common.
  flags->push_back("--start-no-unused-arguments");
  if (step == Step::kCompileAndLink) flags->push_back("-Xclang");
  flags->push_back("-fsanitize=thread");
  // Without these `x += 1` is only a write, and accesses of 32 bytes and more are nothing at all.
  flags->insert(flags->end(), {"-mllvm", "-tsan-instrument-read-before-write=1",
                               "-mprefer-vector-width=128", "-mllvm", "-vectorize-slp=false"});
  // Otherwise the first round of a loop is other code than those behind it, and nobody can tell
  // that a loop which waits in it has done nothing (scheduler/loops.h).
  flags->insert(flags->end(), {"-mllvm", "-rotation-max-header-size=0"});
  // As gcc does unasked: the program can tell which of its units are instrumented.
  flags->push_back("-grecord-command-line");
  flags->push_back("--end-no-unused-arguments");
}

}  // namespace

std::vector<std::string> CompileFlags(const Toolchain& toolchain, Step step) {
  std::vector<std::string> flags = {"-g", "-fno-omit-frame-pointer"};
  if (toolchain.family == CompilerFamily::kGcc) {
    AddGccFlags(toolchain, step, &flags);
  } else {
    AddClangFlags(step, &flags);
  }
  if (!toolchain.include_directory.empty()) {
    // Behind everything, so that no header of the program's is shadowed.
    flags.insert(flags.end(), {"-idirafter", toolchain.include_directory});
  }
  return flags;
}

std::vector<std::string> LinkFlags(const Toolchain& toolchain, LinkKind kind) {
  const std::string& directory = toolchain.runtime_directory;
  std::vector<std::string> flags;
  if (kind == LinkKind::kExecutable) {
    // All of it: a library loaded later may need hooks that the executable itself does not.
    flags.insert(flags.end(),
                 {"-Wl,--push-state,--whole-archive", directory + "/libheddle_hooks.a",
                  "-Wl,--pop-state", "-Wl,--dynamic-list=" + directory + "/exports.list"});
  }
  flags.insert(flags.end(), {"-Wl,--push-state,--no-as-needed", directory + "/libheddle_engine.so",
                             "-Wl,--pop-state", "-Wl,-rpath," + directory});
  std::string wraps = "-Wl";
#define HEDDLE_WRAP(name) wraps += ",--wrap=" #name;
#define HEDDLE_X(result, name, parameters, arguments) HEDDLE_WRAP(name)
  HEDDLE_LIBC_CALLS(HEDDLE_X)
  HEDDLE_LIBSTDCXX_CALLS(HEDDLE_X)
#undef HEDDLE_X
#undef HEDDLE_WRAP
  flags.push_back(wraps);
  flags.emplace_back("-Wl,--build-id");  // a finding names the build it was seen in
  return flags;
}

}  // namespace heddle
