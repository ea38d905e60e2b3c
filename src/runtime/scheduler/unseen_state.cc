#include "runtime/scheduler/unseen_state.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/raw_syscall.h"
#include "runtime/memory/layout.h"
#include "runtime/switch/shell.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;
char own_data;  // the engine's: its mapping is told by this

struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_program_data = false;  // private and writable, and no stack

  bool Contains(std::uint64_t address) const { return address >= begin && address < end; }
};

std::uint64_t HexAt(std::string_view text, std::size_t* at) {
  std::uint64_t value = 0;
  for (; *at < text.size(); ++*at) {
    const char c = text[*at];
    if (c >= '0' && c <= '9') {
      value = value << 4 | static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value << 4 | static_cast<std::uint64_t>(c - 'a' + 10);
    } else {
      break;
    }
  }
  ++*at;  // what stands behind it
  return value;
}

// "begin-end rwxp offset device inode   path"
Mapping Parse(std::string_view line) {
  Mapping mapping;
  std::size_t at = 0;
  mapping.begin = HexAt(line, &at);
  mapping.end = HexAt(line, &at);
  mapping.is_program_data = line.substr(std::min(at, line.size()), 2) == "rw" &&
                            line.substr(at + 3, 1) == "p" && !line.ends_with("[stack]") &&
                            line.find("libheddle_engine") == std::string_view::npos;
  return mapping;
}

bool IsOurs(const Mapping& mapping) {
  const auto lies_in = [&](std::uint64_t base, std::uint64_t size) {
    return mapping.begin - base < size;
  };
  // The kernel writes into the control block of a thread (rseq); a shell's lies on its stack.
  return lies_in(kArenaBase, kArenaSize) || lies_in(kShadowBase, kShadowSize) ||
         lies_in(kStacksBase, kStacksSize) || mapping.Contains(Shells::Main()->fs) ||
         mapping.Contains(reinterpret_cast<std::uint64_t>(&own_data));
}

std::uint64_t HashOf(const Mapping& mapping, std::uint64_t hash) {
  for (std::uint64_t at = mapping.begin; at < mapping.end; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
    hash = (hash ^ word) * 0x9fb21c651e98df25ull;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

std::uint64_t HashOfMemory() {
  const long file = RawSyscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"),
                               O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::uint64_t hash = 1;
  std::uint64_t bytes = 0;
  char text[4096];
  std::size_t length = 0;
  for (;;) {
    const long more = RawSyscall(SYS_read, file, reinterpret_cast<long>(text + length),
                                 static_cast<long>(sizeof text - length));
    if (more <= 0) break;
    length += static_cast<std::size_t>(more);
    std::string_view rest(text, length);
    for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos;) {
      const Mapping mapping = Parse(rest.substr(0, end));
      rest.remove_prefix(end + 1);
      if (!mapping.is_program_data || IsOurs(mapping)) continue;
      bytes += mapping.end - mapping.begin;
      if (bytes <= kMostBytes) hash = HashOf(mapping, hash);
    }
    if (rest.size() == sizeof text) break;  // a line that long is none of ours
    std::memmove(text, rest.data(), rest.size());
    length = rest.size();
  }
  RawSyscall(SYS_close, file);
  return hash;
}

}  // namespace heddle
