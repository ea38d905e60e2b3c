#include "runtime/switch/tls.h"

#include <link.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/clear.h"
#include "runtime/memory/arena.h"
#include "runtime/switch/context.h"

namespace heddle {
namespace {

// Modules that were there when the program started have their thread-locals at the same distance
// below the thread pointer in every thread.
struct Block {
  std::uint64_t below;  // the thread pointer
  const char* image;
  std::size_t image_size;
  std::size_t size;
  char* saved;
};

// The same as what there is to do with it: mostly a few bytes to be zeroed.
struct Part {
  std::uint64_t below;
  const char* image;  // nullptr: zeroes
  std::size_t size;
};

constexpr std::size_t kMostBlocks = 64;
constexpr std::uint64_t kStaticReach = 1 << 20;

Block blocks[kMostBlocks];
std::size_t block_count = 0;
Part parts[2 * kMostBlocks];  // of all blocks
std::size_t part_count = 0;
bool is_known = false;    // blocks are those of the modules that are loaded
bool all_static = false;  // and there are no others
bool has_saved = false;
std::uint64_t errno_below =
    0;  // the thread pointer; libc's are at the same distance in all threads
FloatControl saved_control;

// libc's thread-locals hold its per-thread caches and locale pointers, which stay valid.
bool BelongsToLibc(const char* name) {
  return std::strstr(name, "/libc.so") != nullptr || std::strstr(name, "/ld-linux") != nullptr;
}

void Reset(char* data, const Block& block) {
  std::memcpy(data, block.image, block.image_size);
  std::memset(data + block.image_size, 0, block.size - block.image_size);
}

[[gnu::always_inline]] inline void Reset(const Part& part, std::uint64_t thread_pointer) {
  auto* const data = reinterpret_cast<char*>(thread_pointer - part.below);
  if (part.image == nullptr) {
    Clear(data, part.size);
  } else {
    std::memcpy(data, part.image, part.size);
  }
}

void AddParts(const Block& block) {
  if (block.image_size > 0) parts[part_count++] = {block.below, block.image, block.image_size};
  if (block.size > block.image_size) {
    parts[part_count++] = {block.below - block.image_size, nullptr, block.size - block.image_size};
  }
}

// Zeroes beside zeroes are one part.
void MergeParts() {
  std::sort(parts, parts + part_count,
            [](const Part& a, const Part& b) { return a.below > b.below; });
  std::size_t merged = 0;
  for (std::size_t i = 0; i < part_count; ++i) {
    Part* const last = merged == 0 ? nullptr : &parts[merged - 1];
    if (last != nullptr && last->image == nullptr && parts[i].image == nullptr &&
        last->below - last->size == parts[i].below) {
      last->size += parts[i].size;
    } else {
      parts[merged++] = parts[i];
    }
  }
  part_count = merged;
}

// Calls visit(data, block) for the thread-locals of every module on the calling thread.
template <typename Visit>
void ForEachModule(Visit visit) {
  const auto one = [](dl_phdr_info* info, std::size_t, void* argument) {
    if (info->dlpi_tls_data == nullptr || BelongsToLibc(info->dlpi_name)) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      if (header.p_type != PT_TLS) continue;
      const Block block{
          .below = ThreadPointer() - reinterpret_cast<std::uint64_t>(info->dlpi_tls_data),
          .image = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr),
          .image_size = header.p_filesz,
          .size = header.p_memsz,
          .saved = nullptr};
      (*static_cast<Visit*>(argument))(static_cast<char*>(info->dlpi_tls_data), block);
    }
    return 0;
  };
  dl_iterate_phdr(one, &visit);
}

void Learn() {
  if (is_known) return;
  block_count = 0;
  part_count = 0;
  all_static = true;
  ForEachModule([](char*, const Block& block) {
    if (block.below > kStaticReach || block_count == kMostBlocks) {
      all_static = false;
    } else {
      blocks[block_count++] = block;
      AddParts(block);
    }
  });
  MergeParts();
  errno_below = ThreadPointer() - reinterpret_cast<std::uint64_t>(&errno);
  is_known = true;
}

char* DataOf(const Block& block) { return reinterpret_cast<char*>(ThreadPointer() - block.below); }

}  // namespace

void ModulesChanged() {
  // What was saved stays: modules that are there at the start are never unloaded.
  if (!has_saved) is_known = false;
  all_static = false;
}

void ResetThreadLocals(std::uint64_t thread_pointer) {
  Learn();
  if (all_static) {
    for (std::size_t i = 0; i < part_count; ++i) Reset(parts[i], thread_pointer);
  } else {
    ForEachModule([](char* data, const Block& block) { Reset(data, block); });
  }
  *reinterpret_cast<int*>(thread_pointer - errno_below) = 0;
}

void SaveThreadLocals() {
  Learn();
  has_saved = true;
  saved_control.Take();
  for (std::size_t i = 0; i < block_count; ++i) {
    Block& block = blocks[i];
    if (block.saved == nullptr) block.saved = static_cast<char*>(ArenaReserve(block.size));
    std::memcpy(block.saved, DataOf(block), block.size);
  }
}

void RestoreThreadLocals() {
  if (has_saved) saved_control.Use();
  for (std::size_t i = 0; i < block_count; ++i) {
    if (blocks[i].saved != nullptr) std::memcpy(DataOf(blocks[i]), blocks[i].saved, blocks[i].size);
  }
}

}  // namespace heddle
