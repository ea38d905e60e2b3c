#include "runtime/interpose/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/lock_table.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/numbers.h"
#include "runtime/interpose/outside.h"
#include "runtime/interpose/system_wait.h"
#include "runtime/worker/shared_places.h"

namespace heddle {
namespace {

constexpr std::uint64_t kFiles = 0x666c;
constexpr bool kAlways = true;

struct LockedFile {
  dev_t device;
  ino_t number;
  bool operator==(const LockedFile&) const = default;
};
std::vector<LockedFile>* locked = nullptr;

bool FileOf(int descriptor, LockedFile* file) {
  struct stat status = {};
  if (RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return false;
  *file = {status.st_dev, status.st_ino};
  return true;
}

std::uint64_t KeyOf(int descriptor) {
  LockedFile file = {};
  return FileOf(descriptor, &file) ? OrderKey(Mix(kFiles, file.device), file.number) : 0;
}

// Other runs of the program may lock it, too.
void NoteShared(int descriptor) {
  char link[32], path[512];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const long length = RawSyscall(SYS_readlink, reinterpret_cast<long>(link),
                                 reinterpret_cast<long>(path), sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  struct stat status = {};
  const bool has_name = RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 &&
                        status.st_nlink > 0;
  if (path[0] == '/' && has_name) NoteSharedFile(AT_FDCWD, path);
}

void NoteUse(int descriptor) {
  LockedFile file = {};
  if (!FileOf(descriptor, &file)) return;
  NoteShared(descriptor);
  const EngineScope scope;
  if (locked == nullptr) locked = new std::vector<LockedFile>();
  if (std::find(locked->begin(), locked->end(), file) == locked->end()) locked->push_back(file);
}

// --- flock

struct Flock {
  int descriptor;
  int operation;  // LOCK_SH, LOCK_EX
};

// On a description of its own. True where that can't be had: the call itself tells.
bool CouldLock(const Flock& wanted) {
  struct stat status = {};
  RawSyscall(SYS_fstat, wanted.descriptor, reinterpret_cast<long>(&status));
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return true;
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", wanted.descriptor);
  const long flags = RawSyscall(SYS_fcntl, wanted.descriptor, F_GETFL, 0);
  const long other = RawSyscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path),
                                (flags & O_ACCMODE) | O_CLOEXEC);
  if (other < 0) return true;
  const long result = RawSyscall(SYS_flock, other, wanted.operation | LOCK_NB);
  RawSyscall(SYS_close, other);
  return result != -EWOULDBLOCK;
}

bool CanFlock(void* argument) {
  const auto& wanted = *static_cast<const Flock*>(argument);
  const int held = HeldBy(wanted.descriptor, LockFamily::kFlock);
  return held != 0 || CouldLock(wanted);  // what it holds it gives up first
}

bool FlockIsInside(void* argument) {
  return IsHeldByAnother(static_cast<const Flock*>(argument)->descriptor, LockFamily::kFlock);
}

int LockWhole(Scheduler* scheduler, int descriptor, int operation, std::uint64_t site) {
  NoteUse(descriptor);
  Flock wanted = {descriptor, operation & ~LOCK_NB};
  const bool unlocks = wanted.operation == LOCK_UN;
  bool gives_up = unlocks;
  return static_cast<int>(Do(scheduler,
                             {.kind = unlocks ? OpKind::kFileUnlock : OpKind::kFileLock,
                              .waits = !unlocks && (operation & LOCK_NB) == 0,
                              .can = CanFlock,
                              .is_inside = FlockIsInside,
                              .argument = &wanted,
                              .order_key = KeyOf(descriptor),
                              .acquires = !unlocks,
                              .releases = &gives_up,
                              .cancels = false,
                              .site = site},
                             [&]() -> long {
                               if (unlocks) return HEDDLE_NEXT(flock)(descriptor, operation);
                               // One that is held is changed into another by giving it up: who
                               // can't have the other at once has none while it waits.
                               gives_up = HeldBy(descriptor, LockFamily::kFlock) != 0;
                               return HEDDLE_NEXT(flock)(descriptor, operation | LOCK_NB);
                             }));
}

// --- fcntl and lockf

struct RecordLock {
  int descriptor;
  bool is_open_file;  // of the description; otherwise of the process
  struct flock lock;
};

// As the system sees it now: off the range, a bad descriptor and the like are the call's to say.
bool CanSetLock(void* argument) {
  const auto& wanted = *static_cast<const RecordLock*>(argument);
  struct flock found = wanted.lock;
  const long result =
      RawSyscall(SYS_fcntl, wanted.descriptor, wanted.is_open_file ? F_OFD_GETLK : F_GETLK,
                 reinterpret_cast<long>(&found));
  return result < 0 || found.l_type == F_UNLCK;
}

// Against the process's own locks stand those of its descriptions, against these both.
bool RecordLockIsInside(void* argument) {
  const auto& wanted = *static_cast<const RecordLock*>(argument);
  if (IsHeldByAnother(wanted.descriptor, LockFamily::kOpenFile)) return true;
  if (!wanted.is_open_file) return HeldBy(wanted.descriptor, LockFamily::kOpenFile) != 0;
  return HeldBy(wanted.descriptor, LockFamily::kProcess) != 0 ||
         IsHeldByAnother(wanted.descriptor, LockFamily::kProcess);
}

bool IsShared(const struct flock& lock) { return lock.l_type == F_RDLCK; }

template <typename Call>
int SetLock(Scheduler* scheduler, const RecordLock& what, bool waits, std::uint64_t site,
            const Call& call) {
  NoteUse(what.descriptor);
  RecordLock wanted = what;
  const bool unlocks = wanted.lock.l_type == F_UNLCK;
  bool gives_up = unlocks;
  return static_cast<int>(Do(scheduler,
                             {.kind = unlocks ? OpKind::kFileUnlock : OpKind::kFileLock,
                              .waits = waits && !unlocks,
                              .can = CanSetLock,
                              .is_inside = RecordLockIsInside,
                              .argument = &wanted,
                              .order_key = KeyOf(what.descriptor),
                              .acquires = !unlocks,
                              .releases = &gives_up,
                              .cancels = waits,
                              .site = site},
                             [&]() -> long {
                               const int result = call();
                               // Readers are let in where it was held to write.
                               gives_up = result == 0 && (unlocks || IsShared(wanted.lock));
                               return result;
                             }));
}

int LockSection(int (*next)(int, int, off_t), int descriptor, int command, off_t length,
                std::uint64_t site) {
  Scheduler* const scheduler = IoScheduler();
  if (scheduler == nullptr) return next(descriptor, command, length);
  RecordLock wanted = {descriptor, false, {}};
  wanted.lock.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK;
  wanted.lock.l_whence = SEEK_CUR;
  wanted.lock.l_len = length;
  const bool waits = command == F_LOCK;
  return SetLock(scheduler, wanted, waits, site,
                 [&] { return next(descriptor, waits ? F_TLOCK : command, length); });
}

}  // namespace

bool UsesFileLocks(int descriptor) {
  LockedFile file = {};
  return locked != nullptr && !locked->empty() && FileOf(descriptor, &file) &&
         std::find(locked->begin(), locked->end(), file) != locked->end();
}

SystemWait ClosesLocked(int descriptor, std::uint64_t site) {
  return {.kind = OpKind::kFileUnlock,
          .order_key = KeyOf(descriptor),
          .releases = &kAlways,
          .cancels = false,
          .site = site};
}

void ForgetFileLocks() {
  if (locked != nullptr) locked->clear();
}

bool IsLockCommand(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
         command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
}

int ControlLock(Scheduler* scheduler, int descriptor, int command, void* lock, std::uint64_t site) {
  const auto call = [&](int how) { return HEDDLE_NEXT(fcntl)(descriptor, how, lock); };
  if (lock == nullptr) return call(command);
  const bool is_open_file =
      command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
  const bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
  const int once = command == F_SETLKW ? F_SETLK : command == F_OFD_SETLKW ? F_OFD_SETLK : command;
  const RecordLock wanted = {descriptor, is_open_file, *static_cast<const struct flock*>(lock)};
  return SetLock(scheduler, wanted, waits, site, [&] { return call(once); });
}

}  // namespace heddle

HEDDLE_EXPORT int flock(int descriptor, int operation) noexcept {
  heddle::Scheduler* const scheduler = heddle::IoScheduler();
  if (scheduler == nullptr) return HEDDLE_NEXT(flock)(descriptor, operation);
  return heddle::LockWhole(scheduler, descriptor, operation, HEDDLE_CALLER);
}

HEDDLE_EXPORT int lockf(int descriptor, int command, off_t length) {
  return heddle::LockSection(HEDDLE_NEXT(lockf), descriptor, command, length, HEDDLE_CALLER);
}

HEDDLE_EXPORT int lockf64(int descriptor, int command, off64_t length) {
  return heddle::LockSection(HEDDLE_NEXT(lockf64), descriptor, command, length, HEDDLE_CALLER);
}
