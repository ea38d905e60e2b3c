// Changes to files that write no bytes: names, sizes, modes, times. They are outside the memory of
// the process, and the kernel keeps no account of them that we could ask (worker/copyable.h), so
// the calls are noted; other runs may see them, too (worker/shared_places.h). Each does what it
// does.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "runtime/engine.h"
#include "runtime/interpose/next.h"
#include "runtime/scheduler/scheduler.h"
#include "runtime/worker/copyable.h"
#include "runtime/worker/shared_places.h"
#include "runtime/worker/timestamp.h"

namespace heddle {
namespace {

template <typename... Arguments>
void Change(Arguments... arguments) {
  NoteFileChange();
  NoteSharedFiles(AT_FDCWD, arguments...);
}

}  // namespace
}  // namespace heddle

// X(name, (parameters), (arguments)): all return an int and throw nothing.
#define HEDDLE_FILE_CHANGES(X)                                                                    \
  X(rename, (const char* from, const char* to), (from, to))                                       \
  X(renameat, (int a, const char* from, int b, const char* to), (a, from, b, to))                 \
  X(renameat2, (int a, const char* from, int b, const char* to, unsigned flags),                  \
    (a, from, b, to, flags))                                                                      \
  X(remove, (const char* path), (path))                                                           \
  X(unlink, (const char* path), (path))                                                           \
  X(unlinkat, (int at, const char* path, int flags), (at, path, flags))                           \
  X(rmdir, (const char* path), (path))                                                            \
  X(mkdir, (const char* path, mode_t mode), (path, mode))                                         \
  X(mkdirat, (int at, const char* path, mode_t mode), (at, path, mode))                           \
  X(mkfifo, (const char* path, mode_t mode), (path, mode))                                        \
  X(mkfifoat, (int at, const char* path, mode_t mode), (at, path, mode))                          \
  X(mknod, (const char* path, mode_t mode, dev_t device), (path, mode, device))                   \
  X(mknodat, (int at, const char* path, mode_t mode, dev_t device), (at, path, mode, device))     \
  X(link, (const char* from, const char* to), (from, to))                                         \
  X(linkat, (int a, const char* from, int b, const char* to, int flags), (a, from, b, to, flags)) \
  X(symlink, (const char* from, const char* to), (from, to))                                      \
  X(symlinkat, (const char* from, int at, const char* to), (from, at, to))                        \
  X(truncate, (const char* path, off_t size), (path, size))                                       \
  X(truncate64, (const char* path, off64_t size), (path, size))                                   \
  X(ftruncate, (int file, off_t size), (file, size))                                              \
  X(ftruncate64, (int file, off64_t size), (file, size))                                          \
  X(chmod, (const char* path, mode_t mode), (path, mode))                                         \
  X(fchmod, (int file, mode_t mode), (file, mode))                                                \
  X(fchmodat, (int at, const char* path, mode_t mode, int flags), (at, path, mode, flags))        \
  X(chown, (const char* path, uid_t user, gid_t group), (path, user, group))                      \
  X(lchown, (const char* path, uid_t user, gid_t group), (path, user, group))                     \
  X(fchown, (int file, uid_t user, gid_t group), (file, user, group))                             \
  X(fchownat, (int at, const char* path, uid_t user, gid_t group, int flags),                     \
    (at, path, user, group, flags))                                                               \
  X(utime, (const char* path, const utimbuf* times), (path, times))                               \
  X(utimes, (const char* path, const timeval times[2]), (path, times))                            \
  X(futimens, (int file, const timespec times[2]), (file, times))                                 \
  X(utimensat, (int at, const char* path, const timespec times[2], int flags),                    \
    (at, path, times, flags))

#define HEDDLE_INTERPOSE(name, parameters, arguments) \
  HEDDLE_EXPORT int name parameters noexcept {        \
    heddle::Change arguments;                         \
    return HEDDLE_NEXT(name) arguments;               \
  }
HEDDLE_FILE_CHANGES(HEDDLE_INTERPOSE)

HEDDLE_EXPORT int creat(const char* path, mode_t mode) {
  heddle::Change(path);
  return HEDDLE_NEXT(creat)(path, mode);
}

HEDDLE_EXPORT int creat64(const char* path, mode_t mode) {
  heddle::Change(path);
  return HEDDLE_NEXT(creat64)(path, mode);
}

HEDDLE_EXPORT int shm_open(const char* name, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) != O_RDONLY) heddle::NoteSharedFile(AT_FDCWD, name);
  return HEDDLE_NEXT(shm_open)(name, flags, mode);
}

// Names that nobody has yet: libc draws them of the clock, and again where they are not fair. They
// differ from run to run, because other runs leave files too; how often it looks must not.
#define HEDDLE_NEW_NAMES(X)                                                       \
  X(int, mkstemp, (char* path), (path))                                           \
  X(int, mkstemp64, (char* path), (path))                                         \
  X(int, mkostemp, (char* path, int flags), (path, flags))                        \
  X(int, mkostemp64, (char* path, int flags), (path, flags))                      \
  X(int, mkstemps, (char* path, int suffix), (path, suffix))                      \
  X(int, mkstemps64, (char* path, int suffix), (path, suffix))                    \
  X(int, mkostemps, (char* path, int suffix, int flags), (path, suffix, flags))   \
  X(int, mkostemps64, (char* path, int suffix, int flags), (path, suffix, flags)) \
  X(char*, mkdtemp, (char* path), (path))                                         \
  X(char*, mktemp, (char* path), (path))                                          \
  X(char*, tmpnam, (char* path), (path))                                          \
  X(char*, tempnam, (const char* folder, const char* prefix), (folder, prefix))

#define HEDDLE_INTERPOSE_NAME(result, name, parameters, arguments)           \
  HEDDLE_EXPORT result name parameters {                                     \
    const auto next = HEDDLE_NEXT(name);                                     \
    if (heddle::Scheduler::OfThisThread() == nullptr) return next arguments; \
    heddle::NoteFileChange();                                                \
    const heddle::NativeTimestampCounter scope;                              \
    return next arguments;                                                   \
  }
HEDDLE_NEW_NAMES(HEDDLE_INTERPOSE_NAME)
