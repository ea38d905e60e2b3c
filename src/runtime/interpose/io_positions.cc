// Calls that read and write files at a position of their own: pread, pwrite and theirs. They never
// wait; what they do to memory is their caller's.
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/next.h"

HEDDLE_EXPORT ssize_t pread64(int descriptor, void* buffer, std::size_t size, off64_t position) {
  heddle::IncomingBytes incoming(buffer, size, HEDDLE_CALLER);
  return incoming.Arrived(HEDDLE_NEXT(pread64)(descriptor, incoming.bytes(), size, position));
}

HEDDLE_EXPORT ssize_t pwrite64(int descriptor, const void* buffer, std::size_t size,
                               off64_t position) {
  const heddle::OutgoingBytes outgoing(buffer, size, HEDDLE_CALLER);
  return HEDDLE_NEXT(pwrite64)(descriptor, outgoing.bytes(), size, position);
}

HEDDLE_EXPORT ssize_t preadv64(int descriptor, const iovec* parts, int count, off64_t position) {
  heddle::Incoming incoming(parts, count, HEDDLE_CALLER);
  return incoming.Arrived(HEDDLE_NEXT(preadv64)(descriptor, incoming.parts(), count, position));
}

HEDDLE_EXPORT ssize_t pwritev64(int descriptor, const iovec* parts, int count, off64_t position) {
  const heddle::Outgoing outgoing(parts, count, HEDDLE_CALLER);
  return HEDDLE_NEXT(pwritev64)(descriptor, outgoing.parts(), count, position);
}

// Programs that are not compiled for large files call these; a position is as wide.
HEDDLE_EXPORT ssize_t pread(int descriptor, void* buffer, std::size_t size, off_t position) {
  return pread64(descriptor, buffer, size, position);
}
HEDDLE_EXPORT ssize_t pwrite(int descriptor, const void* buffer, std::size_t size, off_t position) {
  return pwrite64(descriptor, buffer, size, position);
}
HEDDLE_EXPORT ssize_t preadv(int descriptor, const iovec* parts, int count, off_t position) {
  return preadv64(descriptor, parts, count, position);
}
HEDDLE_EXPORT ssize_t pwritev(int descriptor, const iovec* parts, int count, off_t position) {
  return pwritev64(descriptor, parts, count, position);
}
