// `heddle cc` and `heddle c++` (heddle-cc, heddle-c++): compilers that instrument.
#ifndef HEDDLE_CLI_CC_H_
#define HEDDLE_CLI_CC_H_

#include <string>
#include <vector>

#include "compile/toolchain.h"

namespace heddle {

// Becomes the compiler: returns only when that is impossible (3), when the command line is refused
// (2), or after answering one of heddle's own questions:
//   --heddle-print-compile-flags            what is added when compiling, as a line for a shell
//   --heddle-print-link-flags [-shared]     what is added when linking
//   --heddle-print-command ARGS…            the whole command that ARGS would become
// A first argument that is itself a compiler (`heddle c++ clang++-19 -c a.cc`, as a launcher such
// as CCACHE_PREFIX or CMAKE_CXX_COMPILER_LAUNCHER gives it) is the one that is used.
int RunCompilerWrapper(Language language, std::vector<std::string> arguments);

}  // namespace heddle

#endif  // HEDDLE_CLI_CC_H_
