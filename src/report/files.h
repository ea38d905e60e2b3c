// Files that appear whole or not at all, and sentences about what the system refused.
#ifndef HEDDLE_REPORT_FILES_H_
#define HEDDLE_REPORT_FILES_H_

#include <string>
#include <string_view>

#include "base/result.h"

namespace heddle {

Status WriteFileAtomically(const std::string& path, std::string_view contents);

Result<std::string> ReadWholeFile(const std::string& path);

Status MakeDirectories(const std::string& path);

// "out/last: can't be written, no space left on the device; free some space or choose …".
Error SystemError(const std::string& path, std::string_view attempt, int error_number);

}  // namespace heddle

#endif  // HEDDLE_REPORT_FILES_H_
