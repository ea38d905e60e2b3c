// Other programs that heddle starts while compiling.
#ifndef HEDDLE_COMPILE_PROCESS_H_
#define HEDDLE_COMPILE_PROCESS_H_

#include <string>
#include <vector>

#include "base/result.h"

namespace heddle {

struct CommandOutput {
  int exit_code = 0;  // 128 + the signal for one that was killed
  std::string text;   // standard output and standard error, as they came
};

// Runs it to its end; an Error only when it can't be started.
Result<CommandOutput> RunCommand(const std::vector<std::string>& command);

// As typed into a shell: words that need it are quoted.
std::string ShellLine(const std::vector<std::string>& command);

// The words of a shell-like line: blanks separate; quotes and backslashes protect. The rules of
// response files are the same.
std::vector<std::string> SplitWords(const std::string& line);

}  // namespace heddle

#endif  // HEDDLE_COMPILE_PROCESS_H_
