#include "report/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace heddle {
namespace {

constexpr std::string_view kCannotRead = "can't be read";

std::string_view RemedyFor(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another directory with --out";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a directory that can be written with --out";
    case ENOTDIR:
    case EEXIST:
      return "something else has that name; choose another directory with --out";
    case ENOENT:
      return "check the path";
    default:
      return "choose another directory with --out";
  }
}

// Everything, or errno.
int WriteAll(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(fd) == 0 ? 0 : errno;
}

// So that the new name itself survives; a file system that can't is left as it is.
void SyncDirectoryOf(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const int fd =
      open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

Error SystemError(const std::string& path, std::string_view attempt, int error_number) {
  // Where files are read the user has named them one by one; where they are written, by --out.
  const bool reads = attempt == kCannotRead;
  return Error{path + ": " + std::string(attempt) + ": " + std::strerror(error_number) + "; " +
               std::string(reads ? "name a file that can be read" : RemedyFor(error_number))};
}

Status WriteFileAtomically(const std::string& path, std::string_view contents) {
  // Named by process, so that two searches with one directory never share a file.
  const std::string temporary = path + ".tmp." + std::to_string(getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return SystemError(path, "can't be written", errno);
  int error = WriteAll(fd, contents);
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    return SystemError(path, "can't be written", error);
  }
  SyncDirectoryOf(path);
  return {};
}

Result<std::string> ReadWholeFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return SystemError(path, kCannotRead, errno);
  std::string contents;
  char buffer[65536];
  ssize_t got = 0;
  while ((got = read(fd, buffer, sizeof buffer)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    contents.append(buffer, static_cast<std::size_t>(got));
  }
  const int error = got < 0 ? errno : 0;
  close(fd);
  if (error != 0) return SystemError(path, kCannotRead, error);
  return contents;
}

Status MakeDirectories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return SystemError(path, "can't be created", error.value());
  if (!std::filesystem::is_directory(path, error)) {
    return SystemError(path, "can't be created", ENOTDIR);
  }
  return {};
}

}  // namespace heddle
