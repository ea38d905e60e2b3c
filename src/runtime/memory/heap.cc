#include "runtime/memory/heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "runtime/memory/arena.h"

namespace heddle {
namespace {

// The range is cut into pages; a span is a run of pages that holds blocks of one size.
constexpr int kPageBits = 16;
constexpr std::uint64_t kPage = std::uint64_t{1} << kPageBits;
constexpr std::uint64_t kPageCount = kHeapSize >> kPageBits;
constexpr std::size_t kLargestSmall = 32 * 1024;
constexpr int kClasses = 16 + 4 * 7;  // 16 … 256 by 16, then four steps per doubling up to 32 KiB

struct Span {
  std::uint64_t base;
  std::uint64_t block_size;
  std::uint32_t block_count;
  std::uint32_t never_used;  // blocks from here on were never handed out
  std::uint32_t free_head;   // index + 1 of the block freed last; 0 = none
  std::uint32_t pages;
  Span* next;  // with room, of its class; or free, of its size
  bool listed;
  HeapBlock* blocks;
  std::uint32_t* next_free;  // per block: index + 1
};

struct State {
  Span** pages = nullptr;  // by page
  std::uint64_t used_pages = 0;
  Span* with_room[kClasses] = {};
  Span* free_large = nullptr;  // freed multi-page spans, newest first
  std::uint64_t bytes = 0;
};
State heap;

int ClassOf(std::size_t size) {
  if (size <= 256) return static_cast<int>((size + 15) / 16) - 1 + (size == 0);
  const int top = std::bit_width(size - 1);              // 2^(top-1) < size <= 2^top
  const std::size_t step = std::size_t{1} << (top - 3);  // a quarter of the lower power
  const std::size_t low = std::size_t{1} << (top - 1);
  const auto quarter = static_cast<int>((size - low + step - 1) / step);  // 1 … 4
  return 16 + (top - 9) * 4 + quarter - 1;
}

std::size_t SizeOfClass(int size_class) {
  if (size_class < 16) return static_cast<std::size_t>(size_class + 1) * 16;
  const int top = 9 + (size_class - 16) / 4;
  const int quarter = (size_class - 16) % 4 + 1;
  return (std::size_t{1} << (top - 1)) +
         static_cast<std::size_t>(quarter) * (std::size_t{1} << (top - 3));
}

Span* NewSpan(std::uint64_t pages, std::uint64_t block_size, std::uint32_t block_count) {
  if (heap.pages == nullptr) {
    // What no span covers stays unmapped in effect: running over the end of the heap is a crash, as natively.
    ReserveAt(kHeapBase, kHeapSize);
    RawSyscall(SYS_mprotect, static_cast<long>(kHeapBase), static_cast<long>(kHeapSize), PROT_NONE);
    heap.pages = static_cast<Span**>(ArenaReserve(kPageCount * sizeof(Span*)));
  }
  if (pages > kPageCount - heap.used_pages) return nullptr;
  auto* const span = static_cast<Span*>(ArenaReserve(sizeof(Span)));
  span->base = kHeapBase + heap.used_pages * kPage;
  RawSyscall(SYS_mprotect, static_cast<long>(span->base), static_cast<long>(pages * kPage),
             PROT_READ | PROT_WRITE);
  span->block_size = block_size;
  span->block_count = block_count;
  span->pages = static_cast<std::uint32_t>(pages);
  span->blocks = static_cast<HeapBlock*>(ArenaReserve(block_count * sizeof(HeapBlock)));
  span->next_free = static_cast<std::uint32_t*>(ArenaReserve(block_count * sizeof(std::uint32_t)));
  for (std::uint64_t i = 0; i < pages; ++i) heap.pages[heap.used_pages + i] = span;
  heap.used_pages += pages;
  return span;
}

std::uint64_t TakeFrom(Span* span, std::uint32_t* index, bool* is_fresh) {
  *is_fresh = span->free_head == 0;
  if (*is_fresh) {
    *index = span->never_used++;
  } else {
    *index = span->free_head - 1;
    span->free_head = span->next_free[*index];
  }
  return span->base + *index * span->block_size;
}

bool HasRoom(const Span* span) {
  return span->free_head != 0 || span->never_used < span->block_count;
}

void* AllocateSmall(std::size_t size, HeapBlock name, bool* is_fresh) {
  const int size_class = ClassOf(size);
  Span* span = heap.with_room[size_class];
  if (span == nullptr) {
    const std::size_t block_size = SizeOfClass(size_class);
    span = NewSpan(1, block_size, static_cast<std::uint32_t>(kPage / block_size));
    if (span == nullptr) return nullptr;
    span->listed = true;
    heap.with_room[size_class] = span;
  }
  std::uint32_t index = 0;
  const std::uint64_t address = TakeFrom(span, &index, is_fresh);
  span->blocks[index] = name;
  if (!HasRoom(span)) {
    heap.with_room[size_class] = span->next;
    span->next = nullptr;
    span->listed = false;
  }
  return reinterpret_cast<void*>(address);
}

void* AllocateLarge(std::size_t size, HeapBlock name, bool* is_fresh) {
  const std::uint64_t pages = (size + kPage - 1) / kPage;
  Span** link = &heap.free_large;
  while (*link != nullptr && (*link)->pages != pages) link = &(*link)->next;
  Span* span = *link;
  *is_fresh = span == nullptr;
  if (span != nullptr) {
    *link = span->next;
    span->next = nullptr;
  } else {
    span = NewSpan(pages, pages * kPage, 1);
    if (span == nullptr) return nullptr;
  }
  span->never_used = 1;
  span->blocks[0] = name;
  return reinterpret_cast<void*>(span->base);
}

Span* SpanOf(std::uint64_t address) {
  if (!Heap::Contains(address) || heap.pages == nullptr) return nullptr;
  return heap.pages[(address - kHeapBase) >> kPageBits];
}

}  // namespace

void* Heap::Allocate(std::size_t size, std::size_t alignment, HeapBlock name, bool* is_fresh) {
  if (size > kHeapSize / 2 || alignment > kPage) return nullptr;
  // Blocks of a size that is a multiple of a power of two up to a page are aligned to it.
  std::size_t rounded = size;
  if (alignment > 16) {
    rounded = (std::max(size, alignment) + alignment - 1) & ~(alignment - 1);
    if (rounded <= kLargestSmall) rounded = std::bit_ceil(rounded);
  }
  name.size = size;
  void* const result = rounded <= kLargestSmall ? AllocateSmall(rounded, name, is_fresh)
                                                : AllocateLarge(rounded, name, is_fresh);
  if (result != nullptr) heap.bytes += size;
  return result;
}

bool Heap::Free(void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  Span* const span = SpanOf(address);
  if (span == nullptr) return false;
  const std::uint64_t index = (address - span->base) / span->block_size;
  if (index >= span->block_count || span->base + index * span->block_size != address) return false;
  HeapBlock& block = span->blocks[index];
  if (block.nth == 0) return false;
  heap.bytes -= block.size;
  block.nth = 0;
  block.has_objects = 0;
  if (span->block_count == 1) {
    RawSyscall(SYS_madvise, static_cast<long>(span->base), static_cast<long>(span->pages * kPage),
               MADV_DONTNEED);
    span->next = heap.free_large;
    heap.free_large = span;
    return true;
  }
  span->next_free[index] = span->free_head;
  span->free_head = static_cast<std::uint32_t>(index) + 1;
  if (!span->listed) {
    const int size_class = ClassOf(span->block_size);
    span->next = heap.with_room[size_class];
    heap.with_room[size_class] = span;
    span->listed = true;
  }
  return true;
}

HeapRange Heap::Find(std::uint64_t address) {
  Span* const span = SpanOf(address);
  if (span == nullptr) return {};
  const std::uint64_t index = (address - span->base) / span->block_size;
  if (index >= span->block_count) return {};
  return {&span->blocks[index], span->base + index * span->block_size};
}

std::size_t Heap::UsableSize(const void* pointer) {
  const HeapRange range = Find(reinterpret_cast<std::uint64_t>(pointer));
  return range.block == nullptr ? 0 : range.block->size;
}

std::uint64_t Heap::BytesInUse() { return heap.bytes; }

}  // namespace heddle
