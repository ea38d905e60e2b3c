// Streams of stdio on pipes and sockets.
//
// libc reads and writes with calls of its own, inside, where nobody sees them: a thread that waited
// there would stop the run, and what comes from outside would not be recorded. So fdopen (and fopen
// of a named pipe) gives a stream whose reading and writing are functions of ours. libc does not
// lock it, because a thread may wait in it; the scheduler does.
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/buffers.h"
#include "runtime/interpose/file_lock.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/named_pipe.h"
#include "runtime/interpose/next.h"
#include "runtime/interpose/stream.h"
#include "runtime/worker/copyable.h"
#include "runtime/worker/process.h"

namespace heddle {
namespace {

struct ChannelStream {
  FILE* stream;
  int descriptor;
};
std::vector<ChannelStream>* streams = nullptr;

int DescriptorOf(void* cookie) { return static_cast<int>(reinterpret_cast<long>(cookie)); }

ssize_t Read(void* cookie, char* buffer, std::size_t size) {
  return read(DescriptorOf(cookie), buffer, size);
}

// What libc writes when the program is over is nobody's operation any more.
ssize_t Write(void* cookie, const char* buffer, std::size_t size) {
  if (!RunIsOver()) return write(DescriptorOf(cookie), buffer, size);
  const long result = RawSyscall(SYS_write, DescriptorOf(cookie), reinterpret_cast<long>(buffer),
                                 static_cast<long>(size));
  return result < 0 ? 0 : result;
}

int Seek(void*, off64_t*, int) {
  errno = ESPIPE;
  return -1;
}

int Close(void* cookie) { return close(DescriptorOf(cookie)); }

FILE* Make(int descriptor, const char* mode) {
  FILE* const stream = fopencookie(reinterpret_cast<void*>(static_cast<long>(descriptor)), mode,
                                   {.read = Read, .write = Write, .seek = Seek, .close = Close});
  if (stream == nullptr) return nullptr;
  __fsetlocking(stream, FSETLOCKING_BYCALLER);
  const EngineScope scope;
  if (streams == nullptr) streams = new std::vector<ChannelStream>();
  std::erase_if(*streams, [stream](const ChannelStream& one) { return one.stream == stream; });
  streams->push_back({stream, descriptor});
  return stream;
}

const ChannelStream* Find(FILE* stream) {
  if (streams == nullptr || streams->empty()) return nullptr;
  const auto found = std::find_if(streams->begin(), streams->end(),
                                  [stream](const auto& one) { return one.stream == stream; });
  return found == streams->end() ? nullptr : &*found;
}

int FlagsOf(const char* mode) {
  int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT;
  if (mode[0] == 'w') flags |= O_TRUNC;
  if (mode[0] == 'a') flags |= O_APPEND;
  if (std::strchr(mode, '+') != nullptr) flags = (flags & ~O_ACCMODE) | O_RDWR;
  if (std::strchr(mode, 'x') != nullptr) flags |= O_EXCL;
  if (std::strchr(mode, 'e') != nullptr) flags |= O_CLOEXEC;
  return flags;
}

FILE* OpenPipe(const char* path, const char* mode, std::uint64_t site, bool* is_pipe) {
  int descriptor = -1;
  *is_pipe = OpenNamedPipe({.name = path, .flags = FlagsOf(mode), .site = site}, &descriptor);
  if (!*is_pipe || descriptor < 0) return nullptr;
  return Make(descriptor, mode);
}

// A block of the program's that a line is read into, and that grows with it.
struct Line {
  char** text;
  std::size_t* room;
};

// The line has come to `own`, where its accesses are events, or else to its place.
void PutLine(const Line& line, char* own, std::size_t size, std::uint64_t site) {
  const bool grows = own != nullptr && (*line.text == nullptr || *line.room < size);
  heddle_access_range(site, line.text, sizeof *line.text, grows ? 1 : 0);
  heddle_access_range(site, line.room, sizeof *line.room, grows ? 1 : 0);
  if (grows) {
    constexpr std::size_t kFirst = 120;
    const std::size_t room = std::max({size, 2 * *line.room, kFirst});
    *line.text = static_cast<char*>(realloc(*line.text, room));
    *line.room = room;
  }
  heddle_access_range(site, *line.text, size, 1);
  if (own != nullptr) std::memcpy(*line.text, own, size);
}

ssize_t ReadLine(const Line& line, int end, FILE* stream, std::uint64_t site) {
  const StreamScope scope(stream, site);
  const bool is_seen = IsSeenCaller(site) && line.text != nullptr && line.room != nullptr;
  char* own = nullptr;
  std::size_t own_room = 0;
  const bool is_event = is_seen && IsPointOfCaller(site);
  const ssize_t result = is_event ? HEDDLE_NEXT(getdelim)(&own, &own_room, end, stream)
                                  : HEDDLE_NEXT(getdelim)(line.text, line.room, end, stream);
  const int error = errno;
  if (is_seen && result >= 0) PutLine(line, own, static_cast<std::size_t>(result) + 1, site);
  free(own);
  errno = error;
  return result;
}

}  // namespace

bool IsChannelStream(FILE* stream) { return Find(stream) != nullptr; }

}  // namespace heddle

using heddle::StreamScope;

HEDDLE_EXPORT FILE* fdopen(int descriptor, const char* mode) noexcept {
  if (heddle::IoScheduler() == nullptr || !heddle::IsChannel(descriptor)) {
    return HEDDLE_NEXT(fdopen)(descriptor, mode);
  }
  return heddle::Make(descriptor, mode);
}

HEDDLE_EXPORT FILE* fopen(const char* path, const char* mode) {
  heddle::NoteOpening(AT_FDCWD, path, heddle::FlagsOf(mode));
  bool is_pipe = false;
  FILE* const stream = heddle::OpenPipe(path, mode, HEDDLE_CALLER, &is_pipe);
  return is_pipe ? stream : HEDDLE_NEXT(fopen)(path, mode);
}

HEDDLE_EXPORT FILE* fopen64(const char* path, const char* mode) {
  heddle::NoteOpening(AT_FDCWD, path, heddle::FlagsOf(mode));
  bool is_pipe = false;
  FILE* const stream = heddle::OpenPipe(path, mode, HEDDLE_CALLER, &is_pipe);
  return is_pipe ? stream : HEDDLE_NEXT(fopen64)(path, mode);
}

HEDDLE_EXPORT int fileno(FILE* stream) noexcept {
  const heddle::ChannelStream* const one = heddle::Find(stream);
  return one != nullptr ? one->descriptor : HEDDLE_NEXT(fileno)(stream);
}

HEDDLE_EXPORT int fclose(FILE* stream) {
  if (heddle::IsChannelStream(stream)) {
    { const StreamScope scope(stream, HEDDLE_CALLER); }  // until nobody is in it
    const int result = HEDDLE_NEXT(fclose)(stream);
    std::erase_if(*heddle::streams, [stream](const auto& one) { return one.stream == stream; });
    return result;
  }
  heddle::Scheduler* const scheduler = heddle::IoScheduler();
  const int descriptor = scheduler == nullptr ? -1 : HEDDLE_NEXT(fileno)(stream);
  if (descriptor >= 0 && heddle::UsesFileLocks(descriptor)) {
    return static_cast<int>(
        heddle::Do(scheduler, heddle::ClosesLocked(descriptor, HEDDLE_CALLER),
                   [&] { return static_cast<long>(HEDDLE_NEXT(fclose)(stream)); }));
  }
  return HEDDLE_NEXT(fclose)(stream);
}

HEDDLE_EXPORT int fflush(FILE* stream) {
  if (stream == nullptr) return HEDDLE_NEXT(fflush)(stream);
  const StreamScope scope(stream, HEDDLE_CALLER);
  return HEDDLE_NEXT(fflush)(stream);
}

// --- what waits for input

HEDDLE_EXPORT char* fgets(char* line, int size, FILE* stream) {
  const StreamScope scope(stream, HEDDLE_CALLER);
  heddle::IncomingBytes incoming(line, size > 0 ? static_cast<std::size_t>(size) : 0,
                                 HEDDLE_CALLER);
  auto* const into = static_cast<char*>(incoming.bytes());
  if (HEDDLE_NEXT(fgets)(into, size, stream) == nullptr) return nullptr;
  incoming.Arrived(static_cast<long>(std::strlen(into)) + 1);
  return line;
}

HEDDLE_EXPORT std::size_t fread(void* bytes, std::size_t size, std::size_t count, FILE* stream) {
  const StreamScope scope(stream, HEDDLE_CALLER);
  heddle::IncomingBytes incoming(bytes, size * count, HEDDLE_CALLER);
  const std::size_t got = HEDDLE_NEXT(fread)(incoming.bytes(), size, count, stream);
  incoming.Arrived(static_cast<long>(got * size));
  return got;
}

HEDDLE_EXPORT int fgetc(FILE* stream) {
  const StreamScope scope(stream, HEDDLE_CALLER);
  return HEDDLE_NEXT(fgetc)(stream);
}

HEDDLE_EXPORT int getc(FILE* stream) {
  const StreamScope scope(stream, HEDDLE_CALLER);
  return HEDDLE_NEXT(fgetc)(stream);
}

HEDDLE_EXPORT ssize_t getline(char** line, std::size_t* size, FILE* stream) {
  return heddle::ReadLine({line, size}, '\n', stream, HEDDLE_CALLER);
}

HEDDLE_EXPORT ssize_t getdelim(char** line, std::size_t* size, int end, FILE* stream) {
  return heddle::ReadLine({line, size}, end, stream, HEDDLE_CALLER);
}

HEDDLE_EXPORT ssize_t __getdelim(char** line, std::size_t* size, int end, FILE* stream) {
  return heddle::ReadLine({line, size}, end, stream, HEDDLE_CALLER);
}
