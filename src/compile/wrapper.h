// `heddle cc` and `heddle c++` as a function: from a compiler's command line to the one to run.
#ifndef HEDDLE_COMPILE_WRAPPER_H_
#define HEDDLE_COMPILE_WRAPPER_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "compile/toolchain.h"

namespace heddle {

struct WrappedCommand {
  std::vector<std::string> command;  // to execute as it is
  std::vector<std::string> notes;    // for standard error, a line each
};

// Whether HEDDLE_ONLY and HEDDLE_EXCLUDE leave the source in.
bool IsInstrumented(const Toolchain& toolchain, const std::string& source);

// An Error is a command line that heddle refuses, with the reason.
Result<WrappedCommand> WrapCommand(const Toolchain& toolchain,
                                   const std::vector<std::string>& arguments);

}  // namespace heddle

#endif  // HEDDLE_COMPILE_WRAPPER_H_
