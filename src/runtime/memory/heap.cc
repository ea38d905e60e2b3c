#include "runtime/memory/heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/sharing.h"

namespace heddle {

// A run of pages that holds blocks of one size.
struct HeapSpan {
  std::uint64_t base;
  std::uint64_t block_size;
  std::uint64_t reciprocal;  // 2^32 / block_size, rounded up; 0 = there is one block
  std::uint32_t block_count;
  std::uint32_t never_used;  // blocks from here on were never handed out
  std::uint32_t free_head;   // index + 1 of the block freed last; 0 = none
  std::uint32_t pages;
  HeapSpan* next;       // with room, of its class; or free, of its size
  HeapSpan* next_made;  // of a run: the one of its class, or the large one, made after it
  bool listed;
  bool is_runs;  // it is taken back when the run ends
  HeapBlock* blocks;
  std::uint32_t* next_free;  // per block: index + 1
};

namespace {

// The range is cut into pages.
constexpr int kPageBits = 16;
constexpr std::uint64_t kPage = std::uint64_t{1} << kPageBits;
constexpr std::uint64_t kPageCount = kHeapSize >> kPageBits;
constexpr std::size_t kLargestSmall = 32 * 1024;
constexpr std::size_t kLargestFine = 256;
constexpr int kClasses = 16 + 4 * 7;  // 16 … 256 by 16, then four steps per doubling up to 32 KiB

using Span = HeapSpan;

// Where the blocks of runs in one process lie: a region for each size, so that an address depends
// on nothing but the allocations of that size in this run; spans are made once and used by every
// run.
constexpr std::uint64_t kLargeRegion = kPageCount / 4;  // in pages, from the heap's start
constexpr std::uint64_t kSmallRegions = kPageCount / 2;
constexpr std::uint64_t kSmallRegion = kPageCount / 2 / 64;
static_assert(kClasses < 64);

struct SpanList {
  Span* first = nullptr;
  Span* last = nullptr;
  Span* unused = nullptr;        // the first that this run has not used
  std::uint64_t first_page = 0;  // of the region, for this run; what lies before is kept
  std::uint64_t used_pages = 0;  // from the region's start
  std::uint64_t open_pages = 0;  // that may be accessed, likewise
};

struct RunState {
  bool is_on = false;
  SpanList small[kClasses];
  SpanList large;
  std::uint64_t touched = 0;  // classes, a bit set
  std::uint64_t blocks = 0;   // alive
  // Some that were retired are more than bytes of a span: large, or from before the run.
  bool retired_others = false;
};

struct State {
  Span** pages = nullptr;  // by page
  std::uint64_t used_pages = 0;
  Span* with_room[kClasses] = {};
  Span* free_large = nullptr;  // freed multi-page spans, newest first
  std::uint64_t bytes = 0;
  RunState run;
};
State heap;

int ClassOf(std::size_t size) {
  if (size <= kLargestFine) return static_cast<int>((size - (size != 0)) / 16);
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

void SetBlockSize(Span* span, std::uint64_t block_size) {
  span->block_size = block_size;
  span->reciprocal = span->block_count == 1 ? 0 : ((std::uint64_t{1} << 32) - 1) / block_size + 1;
}

// Exact: spans of several blocks are one page, far less than 2^32 / block_size.
std::uint64_t IndexOf(const Span* span, std::uint64_t address) {
  return (address - span->base) * span->reciprocal >> 32;
}

void Reserve() {
  if (heap.pages == nullptr) {
    // What no span covers stays unmapped in effect: running over the end of the heap is a crash, as
    // natively.
    ReserveAt(kHeapBase, kHeapSize);
    RawSyscall(SYS_mprotect, static_cast<long>(kHeapBase), static_cast<long>(kHeapSize), PROT_NONE);
    heap.pages = static_cast<Span**>(ArenaReserve(kPageCount * sizeof(Span*)));
  }
}

Span* NewSpan(std::uint64_t pages, std::uint64_t block_size, std::uint32_t block_count) {
  Reserve();
  if (pages > (heap.run.is_on ? kLargeRegion : kPageCount) - heap.used_pages) return nullptr;
  auto* const span = static_cast<Span*>(ArenaReserve(sizeof(Span)));
  span->base = kHeapBase + heap.used_pages * kPage;
  RawSyscall(SYS_mprotect, static_cast<long>(span->base), static_cast<long>(pages * kPage),
             PROT_READ | PROT_WRITE);
  span->block_count = block_count;
  SetBlockSize(span, block_size);
  span->pages = static_cast<std::uint32_t>(pages);
  span->blocks = static_cast<HeapBlock*>(ArenaReserve(block_count * sizeof(HeapBlock)));
  span->next_free = static_cast<std::uint32_t*>(ArenaReserve(block_count * sizeof(std::uint32_t)));
  for (std::uint64_t i = 0; i < pages; ++i) heap.pages[heap.used_pages + i] = span;
  heap.used_pages += pages;
  return span;
}

// A span for blocks of a run: the next one that an earlier run left behind, or a new one.
Span* RunSpan(SpanList* list, std::uint64_t region, std::uint64_t pages, std::uint64_t block_size,
              std::uint32_t block_count) {
  Reserve();
  const bool is_large = list == &heap.run.large;
  const std::uint64_t limit = is_large ? kSmallRegions - kLargeRegion : kSmallRegion;
  if (list->used_pages + pages > limit) return nullptr;
  Span* span = list->unused;
  if (span == nullptr) {
    span = static_cast<Span*>(ArenaReserve(sizeof(Span)));
    span->is_runs = true;
    span->block_count = block_count;
    span->blocks = static_cast<HeapBlock*>(ArenaReserve(block_count * sizeof(HeapBlock)));
    span->next_free =
        static_cast<std::uint32_t*>(ArenaReserve(block_count * sizeof(std::uint32_t)));
    (list->first == nullptr ? list->first : list->last->next_made) = span;
    list->last = span;
  }
  list->unused = span->next_made;
  const std::uint64_t first_page = region + list->used_pages;
  if (is_large || span->base == 0) {
    span->base = kHeapBase + first_page * kPage;
    SetBlockSize(span, block_size);
    span->pages = static_cast<std::uint32_t>(pages);
    for (std::uint64_t i = 0; i < pages; ++i) heap.pages[first_page + i] = span;
  }
  list->used_pages += pages;
  if (list->used_pages > list->open_pages) {
    RawSyscall(SYS_mprotect, static_cast<long>(span->base), static_cast<long>(pages * kPage),
               PROT_READ | PROT_WRITE);
    list->open_pages = list->used_pages;
  }
  span->never_used = 0;
  span->free_head = 0;
  span->next = nullptr;
  span->listed = false;
  return span;
}

// The next run finds zeroes there, as in a process of its own, and memory that nobody has touched.
void Wipe(Span* span) {
  const std::uint64_t end = span->base + span->never_used * span->block_size;
  span->never_used = 0;
  if (span->block_count == 1) return;  // given back to the system when it was freed
  std::memset(reinterpret_cast<void*>(span->base), 0, end - span->base);
  constexpr std::uint64_t kStep = 1024;
  for (std::uint64_t at = span->base; at < end; at += kStep) {
    Sharing::Revive(reinterpret_cast<void*>(at), std::min(kStep, end - at));
  }
}

void TakeBack(SpanList* list) {
  for (Span* span = list->first; span != list->unused; span = span->next_made) Wipe(span);
  list->unused = list->first;
  list->used_pages = list->first_page;
}

// Some of its blocks are still alive: later runs get other spans.
void Keep(SpanList* list) {
  for (Span* span = list->first; span != list->unused; span = span->next_made) {
    span->is_runs = false;
  }
  list->first = list->unused;
  if (list->first == nullptr) list->last = nullptr;
  list->first_page = list->used_pages;
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

// Field by field: as a whole it would be read before all of it is written.
[[gnu::always_inline]] inline void NameBlock(HeapBlock* block, const HeapBlock& name) {
  block->owner_path = name.owner_path;
  block->nth = name.nth;
  block->size = name.size;
  block->site = name.site;
  block->has_objects = block->is_freed = 0;
}

void* AllocateSmall(std::size_t size, const HeapBlock& name, bool* is_fresh) {
  const int size_class = ClassOf(size);
  Span* span = heap.with_room[size_class];
  if (span == nullptr) {
    const std::size_t block_size = SizeOfClass(size_class);
    const auto count = static_cast<std::uint32_t>(kPage / block_size);
    if (heap.run.is_on) {
      const std::uint64_t region =
          kSmallRegions + static_cast<std::uint64_t>(size_class) * kSmallRegion;
      span = RunSpan(&heap.run.small[size_class], region, 1, block_size, count);
      heap.run.touched |= std::uint64_t{1} << size_class;
    } else {
      span = NewSpan(1, block_size, count);
    }
    if (span == nullptr) return nullptr;
    span->listed = true;
    heap.with_room[size_class] = span;
  }
  std::uint32_t index = 0;
  const std::uint64_t address = TakeFrom(span, &index, is_fresh);
  NameBlock(&span->blocks[index], name);
  if (!HasRoom(span)) {
    heap.with_room[size_class] = span->next;
    span->next = nullptr;
    span->listed = false;
  }
  return reinterpret_cast<void*>(address);
}

void* AllocateLarge(std::size_t size, const HeapBlock& name, bool* is_fresh) {
  const std::uint64_t pages = (size + kPage - 1) / kPage;
  Span** link = &heap.free_large;
  while (*link != nullptr && (*link)->pages != pages) link = &(*link)->next;
  Span* span = *link;
  *is_fresh = span == nullptr;
  if (span != nullptr) {
    *link = span->next;
    span->next = nullptr;
  } else {
    span = heap.run.is_on ? RunSpan(&heap.run.large, kLargeRegion, pages, pages * kPage, 1)
                          : NewSpan(pages, pages * kPage, 1);
    if (span == nullptr) return nullptr;
  }
  span->never_used = 1;
  NameBlock(&span->blocks[0], name);
  return reinterpret_cast<void*>(span->base);
}

Span* SpanOf(std::uint64_t address) {
  if (!Heap::Contains(address) || heap.pages == nullptr) return nullptr;
  return heap.pages[(address - kHeapBase) >> kPageBits];
}

}  // namespace

namespace {

[[gnu::noinline]] void* AllocateUnusual(std::size_t size, std::size_t alignment,
                                        const HeapBlock& name, bool* is_fresh) {
  if (size > kHeapSize / 2 || alignment > kPage) return nullptr;
  // Blocks of a size that is a multiple of a power of two up to a page are aligned to it.
  std::size_t rounded = size;
  if (alignment > 16) {
    rounded = (std::max(size, alignment) + alignment - 1) & ~(alignment - 1);
    if (rounded <= kLargestSmall) rounded = std::bit_ceil(rounded);
  }
  return rounded <= kLargestSmall ? AllocateSmall(rounded, name, is_fresh)
                                  : AllocateLarge(rounded, name, is_fresh);
}

// The next block of a span that has several left, if that is all there is to it.
[[gnu::always_inline]] inline void* AllocateNext(std::size_t size, std::size_t alignment,
                                                 const HeapBlock& name) {
  if (size > kLargestFine || alignment > 16) return nullptr;
  Span* const span = heap.with_room[ClassOf(size)];
  if (span == nullptr || span->free_head != 0 || span->never_used + 1 >= span->block_count) {
    return nullptr;
  }
  const std::uint64_t index = span->never_used++;
  NameBlock(&span->blocks[index], name);
  return reinterpret_cast<void*>(span->base + index * span->block_size);
}

}  // namespace

void Heap::Prepare() { Reserve(); }

void* Heap::Allocate(std::size_t size, std::size_t alignment, HeapBlock name, bool* is_fresh) {
  name.size = size;
  *is_fresh = true;
  void* result = AllocateNext(size, alignment, name);
  if (__builtin_expect(result == nullptr, 0)) {
    result = AllocateUnusual(size, alignment, name, is_fresh);
    if (result == nullptr) return nullptr;
  }
  heap.bytes += size;
  heap.run.blocks += heap.run.is_on;
  return result;
}

bool Heap::ResetForRun() {
  RunState& run = heap.run;
  if (!run.is_on) {
    run.is_on = true;
    std::fill(std::begin(heap.with_room), std::end(heap.with_room), nullptr);
    heap.free_large = nullptr;
    return true;
  }
  const bool left_none = run.blocks == 0;
  void (*const end)(SpanList*) = left_none ? TakeBack : Keep;
  for (; run.touched != 0; run.touched &= run.touched - 1) {
    const int size_class = std::countr_zero(run.touched);
    end(&run.small[size_class]);
    heap.with_room[size_class] = nullptr;
  }
  if (run.large.first != run.large.unused) end(&run.large);
  heap.free_large = nullptr;
  run.blocks = 0;
  run.retired_others = false;
  return left_none;
}

bool Heap::TakesBackRetired() {
  return heap.run.is_on && heap.run.blocks == 0 && !heap.run.retired_others;
}

void Heap::Retire(const HeapRange& range) {
  const Span* const span = range.span;
  range.block->is_freed = 1;
  heap.bytes -= range.block->size;
  if (!heap.run.is_on) return;
  heap.run.blocks -= span->is_runs;
  if (!span->is_runs || span->block_count == 1) heap.run.retired_others = true;
}

bool Heap::Free(void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  Span* const span = SpanOf(address);
  if (span == nullptr) return false;
  const std::uint64_t index = IndexOf(span, address);
  if (index >= span->block_count || span->base + index * span->block_size != address) return false;
  HeapBlock& block = span->blocks[index];
  if (block.nth == 0 || index >= span->never_used) return false;
  if (block.is_freed == 0) Retire({&block, address, span});
  block.nth = 0;
  block.has_objects = 0;
  if (heap.run.is_on && !span->is_runs) return true;  // of the initialisation: never used again
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

HeapRange Heap::BlockAt(std::uint64_t address) {
  Span* const span = SpanOf(address);
  if (span == nullptr) return {};
  const std::uint64_t index = IndexOf(span, address);
  // What lies behind was not handed out, in this run.
  if (index >= span->never_used || span->base + index * span->block_size != address) return {};
  HeapBlock* const block = &span->blocks[index];
  return {block->nth == 0 ? nullptr : block, address, span};
}

HeapRange Heap::Find(std::uint64_t address) {
  Span* const span = SpanOf(address);
  if (span == nullptr) return {};
  const std::uint64_t index = IndexOf(span, address);
  if (index >= span->block_count) return {};
  if (index >= span->never_used && span->is_runs) span->blocks[index] = HeapBlock();
  return {&span->blocks[index], span->base + index * span->block_size, span};
}

std::size_t Heap::UsableSize(const void* pointer) {
  const HeapRange range = Find(reinterpret_cast<std::uint64_t>(pointer));
  return range.block == nullptr ? 0 : range.block->size;
}

std::uint64_t Heap::BytesInUse() { return heap.bytes; }

}  // namespace heddle
