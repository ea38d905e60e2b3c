// Whether a file is a program that heddle can run, and how.
#ifndef HEDDLE_EXPLORE_PROGRAM_FILE_H_
#define HEDDLE_EXPLORE_PROGRAM_FILE_H_

#include <string>

#include "base/result.h"

namespace heddle {

struct ProgramFile {
  std::string path;             // absolute, as the user named it otherwise
  bool links_engine = false;    // built by `heddle cc`: nothing to preload
  bool imports_assert = false;  // some assert() is compiled in
  bool imports_ready = false;   // it calls heddle::Ready()
};

// `name` is a path, or the name of a program on the PATH. An Error's sentence says what is wrong
// with the file: missing, not executable, a script, 32-bit, foreign, static.
Result<ProgramFile> InspectProgram(const std::string& name);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_PROGRAM_FILE_H_
