#include "explore/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace heddle {

void Descriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Result<Descriptor> MakeMemoryFile(const char* name, std::size_t size, MemoryFileKind kind) {
  Descriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid() || ftruncate(file.get(), static_cast<off_t>(size)) != 0) {
    return Error{fmt::format("cannot make a memory file of {} bytes ({}): {}", size, name,
                             std::strerror(errno))};
  }
  if (kind == MemoryFileKind::kFixed) {
    // Without seals (an old or restricted kernel) the file is merely unbounded.
    fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
  }
  return file;
}

Result<Descriptor> MemoryFileWith(const char* name, std::string_view bytes) {
  Result<Descriptor> file = MakeMemoryFile(name, bytes.size(), MemoryFileKind::kOpen);
  if (!file) return file;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        pwrite(file->get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (n <= 0) {
      return Error{fmt::format("cannot fill a memory file of {} bytes ({}): {}", bytes.size(), name,
                               std::strerror(errno))};
    }
    done += static_cast<std::size_t>(n);
  }
  return file;
}

std::string ReadAt(int fd, std::uint64_t offset, std::size_t limit) {
  std::string bytes(limit, '\0');
  std::size_t done = 0;
  while (done < limit) {
    const ssize_t n =
        pread(fd, bytes.data() + done, limit - done, static_cast<off_t>(offset + done));
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace heddle
