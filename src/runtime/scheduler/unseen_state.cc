#include "runtime/scheduler/unseen_state.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/memory/layout.h"
#include "runtime/switch/shell.h"

namespace heddle {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMostPages = (64 << 20) / kPage;  // looked at
constexpr std::uint64_t kStretch = 4096;                  // pages asked about at a time
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

// 0: the page is empty, as if nobody had touched it.
std::uint64_t HashOfPage(std::uint64_t page) {
  constexpr int kLanes = 4;  // that do not wait for each other
  std::uint64_t lanes[kLanes] = {};
  std::uint64_t any = 0;
  for (std::uint64_t at = page; at < page + kPage; at += 8 * kLanes) {
    std::uint64_t words[kLanes];
    std::memcpy(words, reinterpret_cast<const void*>(at), sizeof words);
    for (int i = 0; i < kLanes; ++i) {
      any |= words[i];
      lanes[i] = (lanes[i] ^ words[i]) * 0x9fb21c651e98df25ull;
      lanes[i] ^= lanes[i] >> 32;
    }
  }
  if (any == 0) return 0;
  std::uint64_t hash = page;
  for (const std::uint64_t lane : lanes) hash = Mix(hash + lane);
  return hash;
}

// What nobody has touched is not there: most of a heap that was only reserved.
std::uint64_t HashOf(const Mapping& mapping, std::uint64_t* pages) {
  static unsigned char is_there[kStretch];
  std::uint64_t hash = 0;
  for (std::uint64_t at = mapping.begin; at < mapping.end; at += kStretch * kPage) {
    const std::uint64_t bytes = std::min(mapping.end - at, kStretch * kPage);
    const bool is_told = RawSyscall(SYS_mincore, static_cast<long>(at), static_cast<long>(bytes),
                                    reinterpret_cast<long>(is_there)) == 0;
    for (std::uint64_t page = 0; page < bytes / kPage; ++page) {
      if (is_told && (is_there[page] & 1) == 0) continue;
      if (++*pages > kMostPages) return hash;
      hash += HashOfPage(at + page * kPage);
    }
  }
  return hash;
}

}  // namespace

std::uint64_t HashOfMemory() {
  const long file = RawSyscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"),
                               O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::uint64_t hash = 1;
  std::uint64_t pages = 0;
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
      hash += HashOf(mapping, &pages);
    }
    if (rest.size() == sizeof text) break;  // a line that long is none of ours
    std::memmove(text, rest.data(), rest.size());
    length = rest.size();
  }
  RawSyscall(SYS_close, file);
  return hash;
}

}  // namespace heddle
