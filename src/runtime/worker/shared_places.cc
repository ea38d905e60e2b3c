#include "runtime/worker/shared_places.h"

#include <sys/syscall.h>

#include <cstdio>
#include <cstring>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/worker/scratch.h"

namespace heddle {
namespace {

// Of a run, and new.
bool IsToBeTold(std::uint32_t kind) {
  return engine.scheduler != nullptr && engine.channel != nullptr &&
         (engine.channel->shared_places & kind) == 0;
}

// Where a relative path begins; empty: who knows.
void FindDirectory(int directory, char* path, std::size_t size) {
  path[0] = '\0';
  if (directory == AT_FDCWD) {
    RawSyscall(SYS_getcwd, reinterpret_cast<long>(path), static_cast<long>(size));
    return;
  }
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  const long length = RawSyscall(SYS_readlink, reinterpret_cast<long>(link),
                                 reinterpret_cast<long>(path), static_cast<long>(size - 1));
  path[length > 0 ? length : 0] = '\0';
}

bool BeginsWith(const char* path, const char* prefix) {
  return std::strncmp(path, prefix, std::strlen(prefix)) == 0;
}

}  // namespace

void NoteSharedAddress() {
  if (IsToBeTold(Channel::kSharedAddress)) {
    engine.channel->shared_places |= Channel::kSharedAddress;
  }
}

void NoteSharedFile(int directory, const char* path) {
  if (path == nullptr || path[0] == '\0' || !IsToBeTold(Channel::kSharedFile)) return;
  // What is written there is nobody's.
  if (BeginsWith(path, "/dev/") && !BeginsWith(path, "/dev/shm/")) return;
  if (BeginsWith(path, "/proc/")) return;
  char begins[512];
  if (path[0] != '/') FindDirectory(directory, begins, sizeof begins);
  const bool climbs = std::strstr(path, "..") != nullptr;
  if (!climbs && IsInScratch(path[0] == '/' ? path : begins)) return;
  Channel* const channel = engine.channel;
  std::snprintf(channel->shared_file, sizeof channel->shared_file, "%s", path);
  channel->shared_places |= Channel::kSharedFile;
}

}  // namespace heddle
