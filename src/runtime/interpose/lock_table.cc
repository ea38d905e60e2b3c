#include "runtime/interpose/lock_table.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstring>

#include "base/raw_syscall.h"

namespace heddle {
namespace {

constexpr int kMostDescriptors = 1024;  // what lies beyond is taken for somebody else's

const char* WordOf(LockFamily family) {
  switch (family) {
    case LockFamily::kFlock:
      return ": FLOCK ";
    case LockFamily::kOpenFile:
      return ": OFDLCK ";
    case LockFamily::kProcess:
      return ": POSIX ";
  }
  return "";
}

bool IsOfFile(int descriptor, const struct stat& file) {
  struct stat status = {};
  return RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 &&
         status.st_dev == file.st_dev && status.st_ino == file.st_ino;
}

}  // namespace

// A line of it: "lock:	1: FLOCK  ADVISORY  WRITE 1234 00:2a:17 0 EOF".
int HeldBy(int descriptor, LockFamily family) {
  char text[1024];
  char path[40];
  std::snprintf(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
  const long table =
      RawSyscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (table < 0) return 0;
  const long size = RawSyscall(SYS_read, table, reinterpret_cast<long>(text), sizeof text - 1);
  RawSyscall(SYS_close, table);
  text[size > 0 ? size : 0] = '\0';
  const char* const locks = std::strstr(text, "\nlock:");
  const char* const line = locks == nullptr ? nullptr : std::strstr(locks, WordOf(family));
  if (line == nullptr) return 0;
  const char* const end = std::strchr(line, '\n');
  const char* const writes = std::strstr(line, "WRITE");
  const bool is_exclusive = writes != nullptr && (end == nullptr || writes < end);
  return is_exclusive || family != LockFamily::kFlock ? LOCK_EX : LOCK_SH;
}

bool IsHeldByAnother(int descriptor, LockFamily family) {
  struct stat file = {};
  if (RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&file)) != 0) return false;
  for (int other = 0; other < kMostDescriptors; ++other) {
    if (other == descriptor || !IsOfFile(other, file)) continue;
    if (HeldBy(other, family) != 0) return true;
  }
  return false;
}

}  // namespace heddle
