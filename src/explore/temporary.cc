#include "explore/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace heddle {
namespace {

constexpr char kPrefix[] = "heddle-run-";

Descriptor Open(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// It may have been removed before it was locked.
bool IsStillAt(const std::string& path, const Descriptor& directory) {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(directory.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool IsOurs(const Descriptor& directory) {
  struct stat status = {};
  return directory.valid() && ::fstat(directory.get(), &status) == 0 &&
         status.st_uid == ::geteuid();
}

void RemoveAbandoned(const std::string& parent) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(parent, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (entry->path().filename().string().rfind(kPrefix, 0) != 0) continue;
    const Descriptor directory = Open(entry->path().string());
    if (!IsOurs(directory) || ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) continue;
    std::filesystem::remove_all(entry->path(), ignored);
  }
}

}  // namespace

Result<TemporaryDirectory> TemporaryDirectory::Make() {
  const char* const variable = std::getenv("TMPDIR");
  const std::string parent = variable != nullptr && *variable != '\0' ? variable : "/tmp";
  RemoveAbandoned(parent);
  for (;;) {
    std::string path = parent + "/" + kPrefix + "XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
      return Error{
          fmt::format("cannot make a directory in {}: {}; set TMPDIR to one that can be "
                      "written",
                      parent, std::strerror(errno))};
    }
    Descriptor directory = Open(path);
    if (!directory.valid() && errno != ENOENT) {
      return Error{fmt::format("cannot open {}: {}", path, std::strerror(errno))};
    }
    // Where locks do not work nobody gets one, so nothing is taken for abandoned.
    if (directory.valid()) ::flock(directory.get(), LOCK_EX);
    if (!IsStillAt(path, directory)) continue;
    return TemporaryDirectory(std::filesystem::absolute(path).string(), std::move(directory));
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace heddle
