#include "runtime/memory/arena.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <new>

#include "base/check.h"
#include "runtime/memory/layout.h"

namespace heddle {
namespace {

// Every block carries its size class in front of it; classes are powers of two from 32 bytes.
struct alignas(16) Header {
  std::uint64_t size_class;
  Header* next_free;
};

constexpr int kClasses = 48;
char* arena_next = nullptr;
char* arena_end = nullptr;
Header* free_lists[kClasses];

void Reserve() {
  arena_next = static_cast<char*>(ReserveAt(kArenaBase, kArenaSize));
  arena_end = arena_next + kArenaSize;
}

}  // namespace

void* ReserveAt(std::uint64_t address, std::uint64_t size) {
  const long result = RawSyscall(
      SYS_mmap, static_cast<long>(address), static_cast<long>(size), PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  HEDDLE_CHECK(result == static_cast<long>(address));
  RawSyscall(SYS_madvise, result, static_cast<long>(size), MADV_DONTDUMP);
  RawSyscall(SYS_madvise, result, static_cast<long>(size), MADV_NOHUGEPAGE);
  return reinterpret_cast<void*>(result);
}

void* ArenaAllocate(std::size_t bytes) {
  if (arena_next == nullptr) Reserve();
  const std::size_t need = bytes + sizeof(Header);
  const int size_class = std::bit_width(need - 1);
  Header* header = free_lists[size_class];
  if (header != nullptr) {
    free_lists[size_class] = header->next_free;
  } else {
    const std::size_t size = std::size_t{1} << size_class;
    HEDDLE_CHECK(size <= static_cast<std::size_t>(arena_end - arena_next));
    header = reinterpret_cast<Header*>(arena_next);
    arena_next += size;
    header->size_class = static_cast<std::uint64_t>(size_class);
  }
  return header + 1;
}

void* ArenaReserve(std::size_t bytes) {
  if (arena_next == nullptr) Reserve();
  const std::size_t size = (bytes + 63) & ~std::size_t{63};
  HEDDLE_CHECK(size <= static_cast<std::size_t>(arena_end - arena_next));
  void* const block = arena_next;
  arena_next += size;
  return block;
}

void ArenaFree(void* block) {
  if (block == nullptr) return;
  Header* const header = static_cast<Header*>(block) - 1;
  header->next_free = free_lists[header->size_class];
  free_lists[header->size_class] = header;
}

}  // namespace heddle

// The engine has its own copy of the C++ library, hidden; these are for that copy alone.
void* operator new(std::size_t size) { return heddle::ArenaAllocate(size); }
void* operator new[](std::size_t size) { return heddle::ArenaAllocate(size); }
void operator delete(void* p) noexcept { heddle::ArenaFree(p); }
void operator delete[](void* p) noexcept { heddle::ArenaFree(p); }
void operator delete(void* p, std::size_t) noexcept { heddle::ArenaFree(p); }
void operator delete[](void* p, std::size_t) noexcept { heddle::ArenaFree(p); }
