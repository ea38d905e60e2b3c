// What of a built program heddle can see, read from the program itself.
#ifndef HEDDLE_COMPILE_INSTRUMENTATION_H_
#define HEDDLE_COMPILE_INSTRUMENTATION_H_

#include <string>
#include <vector>

#include "base/result.h"

namespace heddle {

// A function whose accesses are never reported, though the code around it is instrumented.
struct UnseenFunction {
  std::string name;
  std::string file;
  int line = 0;

  friend auto operator<=>(const UnseenFunction&, const UnseenFunction&) = default;
};

struct Instrumentation {
  int instrumented_units = 0;  // translation units with code, compiled for heddle
  // The source files of those that were not.
  std::vector<std::string> plain_units;
  // Marked no_sanitize("thread") or the like in the source, and without hooks in the machine code.
  std::vector<UnseenFunction> unseen_functions;
};

// Of an executable or a shared library. Needs its debug information (a unit compiled without -g is
// not counted at all) and, for unseen_functions, its sources. An Error for a file that is no ELF.
Result<Instrumentation> DescribeInstrumentation(const std::string& path);

// Whether a library's code calls heddle's hooks. No debug information is needed.
bool CallsHooks(const std::string& path);

// Whether it makes system calls itself. A library that does so waits in futexes, as a rule: it has
// locks of its own, made of instructions that nobody sees unless it is instrumented.
bool MakesSystemCalls(const std::string& path);

}  // namespace heddle

#endif  // HEDDLE_COMPILE_INSTRUMENTATION_H_
