#include "runtime/interpose/passed.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/raw_syscall.h"
#include "runtime/engine.h"
#include "runtime/interpose/descriptors.h"
#include "runtime/interpose/io_wait.h"
#include "runtime/interpose/ports.h"

namespace heddle::passed {
namespace {

enum class Form : std::uint32_t { kSocket, kPipe, kCounter, kFile, kPath };

constexpr std::size_t kMostOfAFile = 1 << 20;
constexpr std::size_t kMostOfAPath = 4096;

// In the log: a Header, `passed` times Passed, `control` bytes of control messages, then the
// contents of the descriptors (of a file its bytes, of something else its path), one by one.
struct Header {
  std::int32_t flags;
  std::uint32_t passed;
  std::uint64_t control;
};
struct Passed {
  Form form;
  std::int32_t domain, type;  // of a socket
  std::int32_t flags;         // of the descriptor
  std::uint64_t offset;       // in a file
  std::uint64_t contents;     // how many bytes
};

// Calls `use` with each descriptor in the control messages, where it stands.
template <typename Use>
void ForEachDescriptor(const msghdr& message, const Use& use) {
  auto* const all = const_cast<msghdr*>(&message);  // glibc's macros take no constant
  for (cmsghdr* one = CMSG_FIRSTHDR(all); one != nullptr; one = CMSG_NXTHDR(all, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    unsigned char* at = CMSG_DATA(one);
    const unsigned char* const end = reinterpret_cast<unsigned char*>(one) + one->cmsg_len;
    for (; at + sizeof(int) <= end; at += sizeof(int)) {
      int descriptor;
      std::memcpy(&descriptor, at, sizeof descriptor);
      use(descriptor, at);
    }
  }
}

template <typename T>
void Append(std::vector<std::uint8_t>* to, const T& value) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
  to->insert(to->end(), bytes, bytes + sizeof value);
}

int OptionOf(int descriptor, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  RawSyscall(SYS_getsockopt, descriptor, SOL_SOCKET, option, reinterpret_cast<long>(&value),
             reinterpret_cast<long>(&size));
  return value;
}

std::vector<std::uint8_t> PathOf(int descriptor) {
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  std::vector<std::uint8_t> path(kMostOfAPath);
  const long size = RawSyscall(SYS_readlink, reinterpret_cast<long>(link),
                               reinterpret_cast<long>(path.data()), kMostOfAPath);
  path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return path;
}

std::vector<std::uint8_t> ContentsOf(int descriptor, std::size_t size) {
  std::vector<std::uint8_t> contents(size);
  std::size_t got = 0;
  while (got < size) {
    const long more =
        RawSyscall(SYS_pread64, descriptor, reinterpret_cast<long>(contents.data() + got),
                   static_cast<long>(size - got), static_cast<long>(got));
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  contents.resize(got);
  return contents;
}

Passed DescribeOne(Scheduler* scheduler, int descriptor, std::uint64_t site,
                   std::vector<std::uint8_t>* contents) {
  Passed one = {};
  struct stat status = {};
  RawSyscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status));
  one.flags = static_cast<std::int32_t>(RawSyscall(SYS_fcntl, descriptor, F_GETFL, 0));
  const std::vector<std::uint8_t> path = PathOf(descriptor);
  const std::string_view name(reinterpret_cast<const char*>(path.data()), path.size());
  if (S_ISSOCK(status.st_mode)) {
    one.form = Form::kSocket;
    one.domain = OptionOf(descriptor, SO_DOMAIN);
    one.type = OptionOf(descriptor, SO_TYPE);
  } else if (S_ISFIFO(status.st_mode)) {
    one.form = Form::kPipe;
  } else if ((status.st_mode & S_IFMT) == 0 && name != "anon_inode:[eventpoll]") {
    one.form = Form::kCounter;
  } else if (S_ISREG(status.st_mode)) {
    one.form = Form::kFile;
    one.offset =
        static_cast<std::uint64_t>(std::max(0L, RawSyscall(SYS_lseek, descriptor, 0, SEEK_CUR)));
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size > kMostOfAFile) {
      scheduler->Uncontrolled("a file of more than 1 MB from outside (SCM_RIGHTS)",
                              "a replay has its first 1 MB only", site);
    }
    *contents = ContentsOf(descriptor, std::min(size, kMostOfAFile));
  } else {
    one.form = Form::kPath;
    *contents = path;
    scheduler->Uncontrolled(
        "a device, directory or epoll set from outside (SCM_RIGHTS)",
        "its contents are not recorded: a replay opens it by its path, or gets /dev/null", site);
  }
  one.contents = contents->size();
  return one;
}

// The kernel would have taken the lowest number that is free.
int Lowest(int descriptor) {
  if (descriptor < 0) return descriptor;
  const long lower = RawSyscall(SYS_fcntl, descriptor, F_DUPFD, 0);
  if (lower < 0) return descriptor;
  const int spare = lower < descriptor ? descriptor : static_cast<int>(lower);
  RawSyscall(SYS_close, spare);
  return lower < descriptor ? static_cast<int>(lower) : descriptor;
}

int Open(const char* path, int flags) {
  return static_cast<int>(RawSyscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags, 0));
}

int PipeEnd(bool writes) {
  int ends[2] = {-1, -1};
  if (RawSyscall(SYS_pipe2, reinterpret_cast<long>(ends), 0) != 0) return -1;
  RawSyscall(SYS_close, ends[writes ? 0 : 1]);
  return ends[writes ? 1 : 0];
}

int FileWith(std::span<const std::uint8_t> contents, const Passed& one) {
  const int file = static_cast<int>(RawSyscall(
      SYS_memfd_create, reinterpret_cast<long>("received from outside"), MFD_ALLOW_SEALING));
  for (std::size_t written = 0; file >= 0 && written < contents.size();) {
    const long more =
        RawSyscall(SYS_pwrite64, file, reinterpret_cast<long>(contents.data() + written),
                   static_cast<long>(contents.size() - written), static_cast<long>(written));
    if (more <= 0) break;
    written += static_cast<std::size_t>(more);
  }
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const int again = Open(link, one.flags & (O_ACCMODE | O_APPEND));
  if (again >= 0) RawSyscall(SYS_close, file);
  const int made = again >= 0 ? again : file;
  RawSyscall(SYS_lseek, made, static_cast<long>(one.offset), SEEK_SET);
  return made;
}

int StandIn(const Passed& one, std::span<const std::uint8_t> contents) {
  int made = -1;
  switch (one.form) {
    case Form::kSocket:
      made = static_cast<int>(RawSyscall(SYS_socket, one.domain, one.type, 0));
      break;
    case Form::kPipe:
      made = PipeEnd((one.flags & O_ACCMODE) == O_WRONLY);
      break;
    case Form::kCounter:
      made = static_cast<int>(RawSyscall(SYS_eventfd2, 0, 0));
      break;
    case Form::kFile:
      made = FileWith(contents, one);
      break;
    case Form::kPath: {
      char path[kMostOfAPath + 1] = {};
      std::memcpy(path, contents.data(), std::min(contents.size(), kMostOfAPath));
      made = Open(path, one.flags & (O_ACCMODE | O_DIRECTORY));
      break;
    }
  }
  if (made < 0) made = Open("/dev/null", O_RDWR);
  made = Lowest(made);
  if ((one.flags & O_NONBLOCK) != 0) {
    RawSyscall(SYS_fcntl, made, F_SETFL, one.flags & (O_NONBLOCK | O_APPEND));
  }
  return made;
}

// Another of the program's numbers for the same thing; -1: there is none.
int TwinOf(int descriptor) {
  constexpr int kNumbers = 1024;
  const long self = RawSyscall(SYS_getpid);
  for (int other = 0; other < kNumbers; ++other) {
    if (other == descriptor || RawSyscall(SYS_fcntl, other, F_GETFD) < 0) continue;
    if (RawSyscall(SYS_kcmp, self, self, KCMP_FILE, other, descriptor) == 0) return other;
  }
  return -1;
}

}  // namespace

std::vector<std::uint8_t> Describe(Scheduler* scheduler, const msghdr& message,
                                   std::uint64_t site) {
  if (message.msg_controllen == 0 && message.msg_flags == 0) return {};
  std::vector<Passed> all;
  std::vector<std::uint8_t> contents;
  ForEachDescriptor(message, [&](int descriptor, const unsigned char*) {
    std::vector<std::uint8_t> its;
    all.push_back(DescribeOne(scheduler, descriptor, site, &its));
    contents.insert(contents.end(), its.begin(), its.end());
  });
  std::vector<std::uint8_t> description;
  Append(&description,
         Header{message.msg_flags, static_cast<std::uint32_t>(all.size()), message.msg_controllen});
  for (const Passed& one : all) Append(&description, one);
  const auto* const control = static_cast<const std::uint8_t*>(message.msg_control);
  description.insert(description.end(), control, control + message.msg_controllen);
  description.insert(description.end(), contents.begin(), contents.end());
  return description;
}

void Restore(std::span<const std::uint8_t> description, const Room& room, msghdr* message) {
  message->msg_controllen = 0;
  message->msg_flags = 0;
  Header header = {};
  if (description.size() < sizeof header) return;
  std::memcpy(&header, description.data(), sizeof header);
  description = description.subspan(sizeof header);
  message->msg_flags = header.flags;
  if (header.passed > description.size() / sizeof(Passed)) return;
  std::vector<Passed> all(header.passed);
  const std::size_t size = header.passed * sizeof(Passed);
  if (size > 0) std::memcpy(all.data(), description.data(), size);
  description = description.subspan(size);
  if (header.control > description.size()) return;
  if (header.control > room.control) {
    message->msg_flags |= MSG_CTRUNC;
    return;
  }
  if (header.control > 0) std::memcpy(message->msg_control, description.data(), header.control);
  message->msg_controllen = header.control;
  description = description.subspan(header.control);

  std::size_t next = 0;
  ForEachDescriptor(*message, [&](int, unsigned char* at) {
    int made = -1;
    if (next < all.size() && all[next].contents <= description.size()) {
      made = StandIn(all[next], description.subspan(0, all[next].contents));
      description = description.subspan(all[next].contents);
      ++next;
      if (room.close_on_exec) RawSyscall(SYS_fcntl, made, F_SETFD, FD_CLOEXEC);
    }
    std::memcpy(at, &made, sizeof made);
  });
}

void NoteReceived(const msghdr& message) {
  ForEachDescriptor(message, [](int descriptor, const unsigned char*) {
    if (const int twin = TwinOf(descriptor); twin >= 0) NoteAnotherNumber(twin, descriptor);
  });
}

void NoteGivenAway(const msghdr& message) {
  ForEachDescriptor(message, [](int descriptor, const unsigned char*) {
    SetInside(descriptor, false);
    NoteShared(descriptor);
    HearOutside();
  });
}

}  // namespace heddle::passed
