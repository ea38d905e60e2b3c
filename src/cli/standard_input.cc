#include "cli/standard_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace heddle {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr int kPatienceMilliseconds = 500;  // for the first byte, and before waiting is told

Error ReadError() {
  return Error{fmt::format("cannot read standard input: {}", std::strerror(errno))};
}

Error TooMuch() {
  return Error{fmt::format(
      "standard input has more than {0} MB; every run gets a copy, so at most {0} MB are allowed",
      kMostBytes >> 20)};
}

Result<StandardInput> ReadFile(off_t size) {
  if (static_cast<std::size_t>(size) > kMostBytes) return TooMuch();
  StandardInput input;
  input.contents.resize(static_cast<std::size_t>(size));
  const off_t start = lseek(STDIN_FILENO, 0, SEEK_CUR);
  // Where it stands stays: others may share it.
  const ssize_t got =
      pread(STDIN_FILENO, input.contents.data(), input.contents.size(), start < 0 ? 0 : start);
  if (got < 0) return ReadError();
  input.contents.resize(static_cast<std::size_t>(got));
  std::error_code ignored;
  input.path = std::filesystem::read_symlink("/proc/self/fd/0", ignored).string();
  return input;
}

Result<StandardInput> ReadPipe() {
  StandardInput input;
  bool is_told = false;
  char buffer[65536];
  while (true) {
    pollfd readable = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int ready = poll(&readable, 1, is_told ? -1 : kPatienceMilliseconds);
    if (ready < 0 && errno != EINTR) return ReadError();
    if (ready < 0) continue;
    if (ready == 0 && input.contents.empty()) {
      input.note =
          "Nobody wrote to standard input, a pipe, before the search began: the program gets none "
          "(to say so at once: < /dev/null).";
      return input;
    }
    if (ready == 0) {
      fmt::print(stderr, "heddle: waiting for the end of standard input, a pipe\n");
      is_told = true;
      continue;
    }
    const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return ReadError();
    if (got == 0) break;
    input.contents.append(buffer, static_cast<std::size_t>(got));
    if (input.contents.size() > kMostBytes) return TooMuch();
  }
  if (!input.contents.empty()) input.path = "a pipe";
  return input;
}

}  // namespace

Result<StandardInput> ReadStandardInput() {
  struct stat status = {};
  if (fstat(STDIN_FILENO, &status) != 0) return StandardInput();
  if (S_ISREG(status.st_mode)) return ReadFile(status.st_size);
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) return ReadPipe();
  return StandardInput();
}

}  // namespace heddle
