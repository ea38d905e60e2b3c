// What -D_FORTIFY_SOURCE makes of the calls that heddle interposes: programs of a distribution,
// which nobody built again, are full of them. Each checks what libc would check and goes on as the
// call itself does; in tail position, so that the place that called is still the caller. printf and
// its relatives are in printf.cc.
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/engine.h"

extern "C" {
[[noreturn]] void __chk_fail() noexcept;
}

// --- descriptors

HEDDLE_EXPORT ssize_t __read_chk(int descriptor, void* buffer, std::size_t size, std::size_t room) {
  if (size > room) __chk_fail();
  return read(descriptor, buffer, size);
}

HEDDLE_EXPORT ssize_t __pread_chk(int descriptor, void* buffer, std::size_t size, off_t position,
                                  std::size_t room) {
  if (size > room) __chk_fail();
  return pread(descriptor, buffer, size, position);
}

HEDDLE_EXPORT ssize_t __pread64_chk(int descriptor, void* buffer, std::size_t size,
                                    off64_t position, std::size_t room) {
  if (size > room) __chk_fail();
  return pread64(descriptor, buffer, size, position);
}

HEDDLE_EXPORT ssize_t __recv_chk(int descriptor, void* buffer, std::size_t size, std::size_t room,
                                 int flags) {
  if (size > room) __chk_fail();
  return recv(descriptor, buffer, size, flags);
}

HEDDLE_EXPORT ssize_t __recvfrom_chk(int descriptor, void* __restrict buffer, std::size_t size,
                                     std::size_t room, int flags, sockaddr* __restrict from,
                                     socklen_t* __restrict length) {
  if (size > room) __chk_fail();
  return recvfrom(descriptor, buffer, size, flags, from, length);
}

HEDDLE_EXPORT int __poll_chk(pollfd* entries, nfds_t count, int milliseconds, std::size_t room) {
  if (room / sizeof *entries < count) __chk_fail();
  return poll(entries, count, milliseconds);
}

HEDDLE_EXPORT int __ppoll_chk(pollfd* entries, nfds_t count, const timespec* time,
                              const sigset_t* mask, std::size_t room) {
  if (room / sizeof *entries < count) __chk_fail();
  return ppoll(entries, count, time, mask);
}

// These say that no mode is given where none is needed.
HEDDLE_EXPORT int __open_2(const char* path, int flags) {
  if ((flags & (O_CREAT | O_TMPFILE)) == O_CREAT) __chk_fail();
  return open(path, flags, 0);
}

HEDDLE_EXPORT int __open64_2(const char* path, int flags) { return __open_2(path, flags); }

HEDDLE_EXPORT int __openat_2(int folder, const char* path, int flags) {
  if ((flags & (O_CREAT | O_TMPFILE)) == O_CREAT) __chk_fail();
  return openat(folder, path, flags, 0);
}

HEDDLE_EXPORT int __openat64_2(int folder, const char* path, int flags) {
  return __openat_2(folder, path, flags);
}

// --- streams

HEDDLE_EXPORT char* __fgets_chk(char* line, std::size_t room, int size, FILE* stream) {
  if (size > 0 && static_cast<std::size_t>(size) > room) __chk_fail();
  return fgets(line, size, stream);
}

HEDDLE_EXPORT std::size_t __fread_chk(void* bytes, std::size_t room, std::size_t size,
                                      std::size_t count, FILE* stream) {
  std::size_t whole = 0;
  if (__builtin_mul_overflow(size, count, &whole) || whole > room) __chk_fail();
  return fread(bytes, size, count, stream);
}
