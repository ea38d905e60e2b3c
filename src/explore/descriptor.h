// A file descriptor that closes itself, and the memory files that runs read and write.
#ifndef HEDDLE_EXPLORE_DESCRIPTOR_H_
#define HEDDLE_EXPLORE_DESCRIPTOR_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace heddle {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

// A close-on-exec memory file of exactly `size` bytes. A fixed one can neither grow nor shrink, so
// whoever writes to it can't fill the machine's memory.
enum class MemoryFileKind { kFixed, kOpen };
Result<Descriptor> MakeMemoryFile(const char* name, std::size_t size, MemoryFileKind kind);

// A memory file that holds `bytes`, read from its start.
Result<Descriptor> MemoryFileWith(const char* name, std::string_view bytes);

// Up to `limit` bytes of the file behind its first `offset`, wherever its own offset stands.
std::string ReadAt(int fd, std::uint64_t offset, std::size_t limit);

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_DESCRIPTOR_H_
