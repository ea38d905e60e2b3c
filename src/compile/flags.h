// What heddle adds to a compiler's command line: the one place that knows.
#ifndef HEDDLE_COMPILE_FLAGS_H_
#define HEDDLE_COMPILE_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compile/toolchain.h"

namespace heddle {

enum class Step : std::uint8_t {
  kCompile,         // the driver stops before linking
  kCompileAndLink,  // the driver must not learn of the sanitizer, or it links libtsan
};

enum class LinkKind : std::uint8_t {
  kExecutable,     // brings the hooks and exports them
  kSharedLibrary,  // leaves the hooks undefined
};

// To stand before the user's own arguments, which therefore win: -g0 or -fno-sanitize=thread is
// respected.
std::vector<std::string> CompileFlags(const Toolchain& toolchain, Step step);

// To stand before the user's own arguments: the engine has to come before all libraries, or theirs
// would be asked first for pthread_create.
std::vector<std::string> LinkFlags(const Toolchain& toolchain, LinkKind kind);

}  // namespace heddle

#endif  // HEDDLE_COMPILE_FLAGS_H_
