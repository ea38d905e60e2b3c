#include "runtime/worker/scratch.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/raw_syscall.h"
#include "runtime/interpose/real.h"
#include "runtime/worker/process.h"

namespace heddle {
namespace {

char scratch[512];
timespec empty_since = {};

bool Look(struct stat* status) {
  return RawSyscall(SYS_newfstatat, AT_FDCWD, reinterpret_cast<long>(scratch),
                    reinterpret_cast<long>(status), 0) == 0;
}

void NoteEmpty() {
  struct stat status = {};
  if (Look(&status)) empty_since = status.st_mtim;
}

int RemoveOne(const char* path, const struct stat*, int, struct FTW* position) {
  if (position->level > 0) std::remove(path);
  return 0;
}

}  // namespace

void FindScratch() {
  const char* const directory = std::getenv("TMPDIR");
  // Only a directory that heddle made is heddle's to empty.
  if (directory == nullptr || std::strstr(directory, "/heddle-") == nullptr) return;
  std::strncpy(scratch, directory, sizeof scratch - 1);
  NoteEmpty();
}

bool IsInScratch(const char* path) {
  const std::size_t length = std::strlen(scratch);
  return length > 0 && std::strncmp(path, scratch, length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

bool IsScratchChanged() {
  struct stat status = {};
  if (scratch[0] == '\0' || !Look(&status)) return false;
  return status.st_mtim.tv_sec != empty_since.tv_sec ||
         status.st_mtim.tv_nsec != empty_since.tv_nsec || status.st_nlink > 2;
}

void CleanScratch() {
  if (!IsScratchChanged()) return;
  // In a child: walking a directory allocates, and the worker's heap must stay as it is.
  const pid_t child = real::_Fork();
  if (child == 0) {
    BecomeDormant();
    nftw(scratch, RemoveOne, 16, FTW_DEPTH | FTW_PHYS);
    RawSyscall(SYS_exit_group, 0);
  }
  RawSyscall(SYS_wait4, child, 0, 0, 0);
  NoteEmpty();
}

}  // namespace heddle
