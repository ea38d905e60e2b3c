#include "explore/temporary.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace heddle {

Result<TemporaryDirectory> TemporaryDirectory::Make() {
  const char* const variable = std::getenv("TMPDIR");
  const std::string parent = variable != nullptr && *variable != '\0' ? variable : "/tmp";
  std::string path = parent + "/heddle-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return Error{
        fmt::format("cannot make a directory in {}: {}; set TMPDIR to one that can be "
                    "written",
                    parent, std::strerror(errno))};
  }
  return TemporaryDirectory(std::filesystem::absolute(path).string());
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace heddle
