// The compiler underneath heddle's wrappers, and where heddle's runtime lies.
#ifndef HEDDLE_COMPILE_TOOLCHAIN_H_
#define HEDDLE_COMPILE_TOOLCHAIN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle {

enum class Language : std::uint8_t { kC, kCxx };
enum class CompilerFamily : std::uint8_t { kGcc, kClang };

struct Toolchain {
  Language language = Language::kCxx;
  CompilerFamily family = CompilerFamily::kGcc;
  std::vector<std::string> compiler;  // the words to start it with: {"g++"}, {"ccache", "g++"}
  std::string compiler_path;          // the file that the last of these words names
  std::string include_directory;      // of <heddle/heddle.h>; empty: there is none
  std::string runtime_directory;      // holds the hooks, the engine and what the linker reads
  // Globs of the sources that are instrumented: HEDDLE_ONLY (empty: all), without HEDDLE_EXCLUDE.
  std::vector<std::string> only = {};
  std::vector<std::string> exclude = {};
};

// The one for `compiler` (words separated by blanks). Empty: what HEDDLE_CC or HEDDLE_CXX says,
// otherwise gcc or g++. Asks the compiler what it is only when its name does not tell.
Result<Toolchain> FindToolchain(Language language, std::string_view compiler = {});

// ../lib/heddle, seen from the running executable's folder.
Result<std::string> FindRuntimeDirectory();

// Whether `path` is named like a C or C++ compiler: g++, clang-19, x86_64-linux-gnu-gcc-12 ...
bool IsCompilerName(std::string_view path);

}  // namespace heddle

#endif  // HEDDLE_COMPILE_TOOLCHAIN_H_
