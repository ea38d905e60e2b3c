// What the program under test reads from its standard input: read once, here, because runs are many
// and each of them, replays included, has to find the same.
#ifndef HEDDLE_CLI_STANDARD_INPUT_H_
#define HEDDLE_CLI_STANDARD_INPUT_H_

#include <optional>
#include <string>

#include "base/result.h"

namespace heddle {

struct StandardInput {
  std::string path;  // where it came from; empty = no input
  std::string contents;
  std::optional<std::string> note;  // a sentence worth telling
};

// A file, from where it stands to its end, or a pipe up to its end. A pipe to which nobody writes
// is given up soon (whoever starts heddle may have left it open), one that has begun is waited for,
// aloud. Anything else, a terminal above all, is no input.
Result<StandardInput> ReadStandardInput();

}  // namespace heddle

#endif  // HEDDLE_CLI_STANDARD_INPUT_H_
