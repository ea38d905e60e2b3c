#include "runtime/worker/copyable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/worker/scratch.h"
#include "runtime/worker/shared_places.h"

namespace heddle {
namespace {

constexpr std::uint64_t kUnreadable = 0;

char buffer[8192];  // not on the stack: it may be a small one of the program's
FileOffsets began;
std::uint64_t usual_descriptors = kUnreadable;
bool has_changed_files = false;

long Open(const char* path, int flags) {
  return RawSyscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags | O_CLOEXEC);
}

// At most a buffer's worth.
long Read(long descriptor) {
  const long size =
      RawSyscall(SYS_read, descriptor, reinterpret_cast<long>(buffer), sizeof buffer - 1);
  buffer[size > 0 ? size : 0] = '\0';
  return size;
}

// As getdents64 writes it.
struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[1];
};

struct Descriptors {
  std::uint64_t hash = kUnreadable;  // of what each leads to, and how far it got
  bool has_streams = false;
};

void Add(const Channel& channel, long descriptor, const struct stat& output, Descriptors* all) {
  struct stat status = {};
  if (RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return;
  const bool is_output = descriptor == channel.config.output_fd ||
                         (status.st_dev == output.st_dev && status.st_ino == output.st_ino);
  const bool moves = is_output || descriptor == STDIN_FILENO;
  const bool is_file =
      S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISCHR(status.st_mode);
  if (!is_file) all->has_streams = true;
  const long offset = moves ? 0 : RawSyscall(SYS_lseek, descriptor, 0, SEEK_CUR);
  const long flags = RawSyscall(SYS_fcntl, descriptor, F_GETFL);
  // Added up: the order of a directory's entries says nothing.
  std::uint64_t one = Mix(static_cast<std::uint64_t>(descriptor), status.st_dev);
  one = Mix(one, status.st_ino);
  one = Mix(one, static_cast<std::uint64_t>(offset));
  all->hash += Mix(one, static_cast<std::uint64_t>(flags));
}

Descriptors ListDescriptors(const Channel& channel) {
  Descriptors all;
  const long directory = Open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
  if (directory < 0) return all;
  all.hash = 1;
  struct stat output = {};
  RawSyscall(SYS_fstat, channel.config.output_fd, reinterpret_cast<long>(&output));
  for (;;) {
    const long size =
        RawSyscall(SYS_getdents64, directory, reinterpret_cast<long>(buffer), sizeof buffer);
    if (size <= 0) break;
    for (long at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
      at += entry->size;
      if (entry->name[0] == '.') continue;
      const long descriptor = std::strtol(entry->name, nullptr, 10);
      if (descriptor != directory) Add(channel, descriptor, output, &all);
    }
  }
  RawSyscall(SYS_close, directory);
  return all;
}

// All that was written is output. What was read and closed again does no harm: a copy knows it,
// too.
CheckpointRefusal LookAtWrites(const Channel& channel) {
  const long file = Open("/proc/self/io", O_RDONLY);
  if (file < 0) return CheckpointRefusal::kCantTell;
  const long size = Read(file);
  RawSyscall(SYS_close, file);
  const char* const written = size > 0 ? std::strstr(buffer, "wchar: ") : nullptr;
  if (written == nullptr) return CheckpointRefusal::kCantTell;
  const long bytes = std::strtol(written + std::strlen("wchar: "), nullptr, 10);
  const bool is_output = bytes == FileOffsets::Now(channel).output - began.output;
  return is_output ? CheckpointRefusal::kNone : CheckpointRefusal::kDescriptors;
}

// The channel is the one mapping that may be shared.
CheckpointRefusal LookAtMappings(const Channel& channel) {
  const long file = Open("/proc/self/maps", O_RDONLY);
  if (file < 0) return CheckpointRefusal::kCantTell;
  const auto ours = reinterpret_cast<std::uint64_t>(&channel);
  enum { kAddress, kRest, kMode, kOther } field = kAddress;
  std::uint64_t address = 0;
  int mode_at = 0;
  bool found = false;
  for (long size; !found && (size = Read(file)) > 0;) {
    for (long i = 0; i < size && !found; ++i) {
      const char c = buffer[i];
      if (c == '\n') {
        field = kAddress;
        address = 0;
      } else if (field == kAddress && c != '-') {
        address = address << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
      } else if (field == kAddress) {
        field = kRest;
      } else if (field == kRest && c == ' ') {
        field = kMode;
        mode_at = 0;
      } else if (field == kMode && c == ' ') {
        field = kOther;
      } else if (field == kMode && mode_at++ == 3) {
        found = c == 's' && (address < ours || address >= ours + channel.size);
      }
    }
  }
  RawSyscall(SYS_close, file);
  return found ? CheckpointRefusal::kSharedMemory : CheckpointRefusal::kNone;
}

bool HasChildren() {
  siginfo_t info;
  const long result = RawSyscall(SYS_waitid, P_ALL, 0, reinterpret_cast<long>(&info),
                                 WEXITED | WNOHANG | WNOWAIT | __WALL, 0);
  return result != -ECHILD;
}

bool HasTimers() {
  for (const int which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval timer = {};
    RawSyscall(SYS_getitimer, which, reinterpret_cast<long>(&timer));
    if (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0) return true;
  }
  return false;
}

}  // namespace

FileOffsets FileOffsets::Now(const Channel& channel) {
  return {.output = std::max(0L, RawSyscall(SYS_lseek, channel.config.output_fd, 0, SEEK_CUR)),
          .input = std::max(0L, RawSyscall(SYS_lseek, STDIN_FILENO, 0, SEEK_CUR))};
}

void FileOffsets::Restore(const Channel& channel) const {
  RawSyscall(SYS_lseek, channel.config.output_fd, output, SEEK_SET);
  RawSyscall(SYS_lseek, STDIN_FILENO, input, SEEK_SET);
}

void NoteDescriptors(const Channel& channel) {
  if (usual_descriptors == kUnreadable) usual_descriptors = ListDescriptors(channel).hash;
}

void NoteProcessBegins(const FileOffsets& offsets) {
  began = offsets;
  has_changed_files = false;
}

void NoteFileChange() { has_changed_files = true; }

void NoteOpening(int directory, const char* path, int flags) {
  if ((flags & (O_CREAT | O_TRUNC)) != 0) NoteFileChange();
  if ((flags & (O_CREAT | O_ACCMODE)) != O_RDONLY) NoteSharedFile(directory, path);
}

CheckpointRefusal WhyNotCopyable(const Channel& channel) {
  if (channel.uncontrolled_count != 0 || HasTimers()) return CheckpointRefusal::kUncontrolled;
  if (channel.input_size != 0) return CheckpointRefusal::kStreams;
  if (HasChildren()) return CheckpointRefusal::kProcesses;
  if (IsScratchChanged()) return CheckpointRefusal::kFiles;
  if (has_changed_files) return CheckpointRefusal::kDescriptors;
  const Descriptors descriptors = ListDescriptors(channel);
  if (descriptors.hash == kUnreadable || usual_descriptors == kUnreadable) {
    return CheckpointRefusal::kCantTell;
  }
  if (descriptors.has_streams) return CheckpointRefusal::kStreams;
  if (descriptors.hash != usual_descriptors) return CheckpointRefusal::kDescriptors;
  const CheckpointRefusal writes = LookAtWrites(channel);
  return writes != CheckpointRefusal::kNone ? writes : LookAtMappings(channel);
}

}  // namespace heddle
