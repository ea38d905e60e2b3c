#include "runtime/memory/sharing.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/clear.h"
#include "runtime/memory/layout.h"

namespace heddle {
namespace {

// A cell, from bit 0: thread + 1 (13), whether a point touched it last (1), epoch of its last
// access (9), written (1), state (2), generation (6), and the first site that is not a point, one
// that read (16) and one that wrote (16). The epoch counts thread creations, the generation counts
// Quiesced(): a cell of an older generation is an untouched one.
//
// A point notes no site. So that what the same thread does next at a site that is none is noted,
// the cell it leaves is not quite its own: the hooks' fast path compares epochs with that bit, and
// finds another one.
//
// kReadByOne: `thread` is the only one that read it since it was written, and the writer is its
// creator, before creating it (the epoch is the write's). Who frees what it was given at its birth
// shares nothing.
enum State : std::uint64_t { kOwn = 0, kReadByMany = 1, kShared = 2, kReadByOne = 3 };

constexpr int kEpochAt = 14, kWrittenAt = 23, kStateAt = 24, kGenerationAt = 26,
              kReaderAt = HEDDLE_CELL_READER, kWriterAt = HEDDLE_CELL_WRITER;
constexpr std::uint64_t kThreadMask = (1ull << 13) - 1;
constexpr std::uint32_t kByPoint = 1u << (kEpochAt - 1);  // belongs to the epoch, as its half
constexpr std::uint32_t kLastEpoch = HEDDLE_CELL_EPOCH & ~kByPoint;
constexpr std::uint64_t kGenerationMax = (1ull << 6) - 1;
constexpr std::uint64_t kSiteMask = (1ull << 16) - 1;
static_assert(kThreadMask == HEDDLE_CELL_THREAD && kByPoint == kThreadMask + 1 &&
              1ull << kWrittenAt == HEDDLE_CELL_WRITTEN && 3ull << kStateAt == HEDDLE_CELL_STATE &&
              kGenerationMax << kGenerationAt == HEDDLE_CELL_GENERATION);
static_assert(kReadByMany == HEDDLE_CELL_MANY_READ >> kStateAt &&
              kReadByOne == HEDDLE_CELL_ONE_READS >> kStateAt);
static_assert(kMaxThreads < static_cast<int>(kThreadMask));
static_assert(Sites::kMost <= kSiteMask);
static_assert(kHeapBase == HEDDLE_HEAP << HEDDLE_HEAP_AT && kHeapSize == 1ull << HEDDLE_HEAP_AT);

struct Cell {
  std::uint64_t thread = 0;  // + 1; 0 = nobody
  std::uint64_t epoch = 0;   // in its place
  std::uint64_t written = 0;
  std::uint64_t state = kOwn;
  std::uint64_t reader = 0;  // sites
  std::uint64_t writer = 0;
};

constexpr std::uint32_t StateBits(State state) {
  return static_cast<std::uint32_t>(state) << kStateAt;
}

// Who made a thread, and who waited for its end.
struct Ancestry {
  ThreadId parent = kNoThread;
  ThreadId joined_by = kNoThread;
  std::uint32_t creator = ~0u;  // as cells have it; in none, if there is none
  std::uint32_t created = 0;    // epoch from which the thread exists
};

// The parts of the shadow that hold something. When generations run out they are cleared: one by
// one where they are few, which is much cheaper than giving all of it back to the system, and
// smaller than a page, of which a stack or a heap uses little. A part may be listed twice.
struct TouchedParts {
  static constexpr int kPartBits = 9;
  static constexpr std::uint32_t kMost = 4096;
  static constexpr int kSlotBits = 8;
  static constexpr std::uint32_t kSlots = 1u << kSlotBits;

  static bool BeginsAt(const std::uint64_t* cell) {
    return (reinterpret_cast<std::uint64_t>(cell) & ((1u << kPartBits) - 1)) == 0;
  }
  void Add(const std::uint64_t* cell) {
    const std::uint64_t part = reinterpret_cast<std::uint64_t>(cell) >> kPartBits;
    // Stacks lie at distances that are powers of two.
    std::uint64_t& slot = slots[part * 0x9e3779b97f4a7c15ull >> (64 - kSlotBits)];
    if (slot == part) return;
    slot = part;
    if (count <= kMost) ++count;
    if (count <= kMost) parts[count - 1] = part;
  }
  void Clear() {
    if (count > kMost) {
      RawSyscall(SYS_madvise, static_cast<long>(kShadowBase), static_cast<long>(kShadowSize),
                 MADV_DONTNEED);
    } else {
      for (std::uint32_t i = 0; i < count; ++i) {
        std::memset(reinterpret_cast<void*>(parts[i] << kPartBits), 0, 1u << kPartBits);
      }
    }
    std::memset(slots, 0, sizeof slots);
    count = 0;
  }

  std::uint64_t slots[kSlots];  // listed already, by hash
  std::uint64_t parts[kMost];
  std::uint32_t count;  // above kMost: too many
};
TouchedParts touched;

Ancestry ancestry[kMaxThreads];
std::uint32_t epoch = 0;  // as cells have it where no point was last, like the generation
std::uint32_t generation = 1u << kGenerationAt;
std::uint64_t age = 0;

std::uint64_t Pack(const Cell& c) {
  return c.thread | c.epoch | c.written << kWrittenAt | c.state << kStateAt | generation |
         c.reader << kReaderAt | c.writer << kWriterAt;
}

Cell Unpack(std::uint64_t word) {
  return {word & kThreadMask,     word & HEDDLE_CELL_EPOCH,        (word >> kWrittenAt) & 1,
          (word >> kStateAt) & 3, (word >> kReaderAt) & kSiteMask, word >> kWriterAt};
}

// Whether what `thread` did up to epoch `when` happens before whatever `later` does now.
bool Ordered(ThreadId thread, std::uint64_t when, ThreadId later) {
  if (ancestry[thread].joined_by == later) return true;
  for (ThreadId t = later; ancestry[t].parent != kNoThread; t = ancestry[t].parent) {
    if (ancestry[t].parent == thread) return when < ancestry[t].created;
  }
  return false;
}

std::uint64_t* CellOf(std::uint64_t address) {
  return reinterpret_cast<std::uint64_t*>(kShadowBase + (address & HEDDLE_SHADOW_MASK & ~7ull));
}

// The first reader and the first writer stay noted through every change of hands: a third thread
// need not be ordered after them.
void NoteSite(Cell* cell, bool is_write, const Site* site) {
  if (site == nullptr) return;
  std::uint64_t& slot = is_write ? cell->writer : cell->reader;
  if (slot == 0) slot = site->index;
}

// Whoever touches it is not the only one in this generation.
[[gnu::noinline]] void TouchCellOfOthers(std::uint64_t* word, bool is_write, ThreadId thread,
                                         std::uint32_t now, Site* site, Channel* channel) {
  const std::uint64_t self = thread + 1u;
  Cell cell = Unpack(*word);
  bool conflict = false;
  if (cell.state == kReadByOne) {
    if (cell.thread != self) {
      cell.thread = ancestry[cell.thread - 1].parent + 1u;
      cell.state = kReadByMany;
    } else if (is_write) {
      cell.state = kOwn;
    }
  }

  if (cell.state == kReadByOne) {
    // Read once more by its reader.
  } else if (cell.state == kOwn && (cell.thread == 0 || cell.thread == self)) {
    cell.thread = self;
    cell.epoch = now;
    cell.written |= is_write;
  } else {
    const auto before = static_cast<ThreadId>(cell.thread - 1);
    const bool ordered =
        cell.thread == 0 || cell.thread == self || Ordered(before, cell.epoch, thread);
    if (cell.state == kOwn && ordered && (is_write || cell.written == 0)) {
      // Handed over: all that was done to it lies before everything this thread does.
      cell.thread = self;
      cell.epoch = now;
      cell.written = is_write;
    } else if (!is_write && (ordered || cell.written == 0)) {
      // The writer, if any, stays noted: the next reader may not be ordered after it.
      if (cell.written == 0) cell.thread = 0;
      const bool is_from_creator =
          cell.state == kOwn && cell.thread != 0 && before == ancestry[thread].parent;
      if (is_from_creator) cell.thread = self;
      cell.state = is_from_creator ? kReadByOne : kReadByMany;
    } else {
      conflict = true;
    }
  }
  NoteSite(&cell, is_write, site);
  if (conflict) {
    for (const std::uint64_t index : {cell.reader, cell.writer}) {
      if (index != 0) Sites::Report(Sites::ByIndex(static_cast<std::uint32_t>(index)), channel);
    }
    Sites::Report(site, channel);
    cell = {.written = 1, .state = kShared};
  }
  *word = Pack(cell);
}

// Whether it is what the thread's creator did before it was there.
bool IsInherited(std::uint32_t cell, ThreadId thread) {
  const Ancestry& origin = ancestry[thread];
  return (cell & HEDDLE_CELL_THREAD) == origin.creator &&
         (cell & HEDDLE_CELL_EPOCH) < origin.created;
}

// Whether it stays as it is when one of its many readers reads it once more.
bool IsReadAgain(std::uint32_t cell, ThreadId thread) {
  if ((cell & HEDDLE_CELL_THREAD) == 0) return true;
  return (cell & HEDDLE_CELL_WRITTEN) != 0 && IsInherited(cell, thread);
}

// `now` is the epoch, with kByPoint or without.
[[gnu::always_inline]] inline void TouchCell(std::uint64_t* word, bool is_write, ThreadId thread,
                                             std::uint32_t now, Site* site, Channel* channel) {
  // Touched for writing first: a new page of cells then costs one fault, not two.
  asm volatile("orq $0, %0" : "+m"(*word));
  const std::uint64_t cell = *word;
  const auto low = static_cast<std::uint32_t>(cell);
  const std::uint32_t self = thread + 1u;
  const std::uint32_t written = is_write ? HEDDLE_CELL_WRITTEN : 0;
  if (((low ^ generation) & HEDDLE_CELL_GENERATION) != 0) {
    touched.Add(word);
    const std::uint64_t index = site == nullptr ? 0 : site->index;
    *word = (self | now | written | generation) | index << (is_write ? kWriterAt : kReaderAt);
    return;
  }
  const std::uint32_t state = low & HEDDLE_CELL_STATE;
  if (state == StateBits(kShared)) {
    // For good; those before were reported then.
    if (site != nullptr) Sites::Report(site, channel);
    return;
  }
  if (site == nullptr) {
    if (((low ^ self) & (HEDDLE_CELL_THREAD | HEDDLE_CELL_STATE)) == 0) {  // its own
      *word = (cell & ~std::uint64_t{HEDDLE_CELL_EPOCH}) | now | written;
      return;
    }
    if (state == StateBits(kReadByMany) && !is_write && IsReadAgain(low, thread)) return;
    if (state == StateBits(kOwn) && is_write && IsInherited(low, thread)) {  // handed over
      *word = (cell >> 32 << 32) | self | now | written | generation;
      return;
    }
  }
  TouchCellOfOthers(word, is_write, thread, now, site, channel);
}

[[gnu::noinline]] void TouchCells(std::uint64_t first, std::uint64_t size, bool is_write,
                                  ThreadId thread, std::uint32_t now, Site* site,
                                  Channel* channel) {
  for (std::uint64_t at = first & ~7ull; at < first + size; at += 8) {
    TouchCell(CellOf(at), is_write, thread, now, site, channel);
  }
}

}  // namespace

void Sharing::Prepare(HeddleHot* hot, AddressRange main_stack) {
  hot->shadow = static_cast<std::uint8_t*>(ReserveAt(kShadowBase, kShadowSize));
  hot->sites = Sites::FastTable();
  hot->site_numbers = Sites::FastNumbers();
  hot->stacks = kStacksBase;
  hot->stacks_size = kStacksSize;
  hot->main_stack = main_stack.begin;
  hot->main_stack_size = main_stack.size;
}

// No cell is all ones, under whatever mask names the thread: there is no such thread.
void Sharing::WatchWrites(HeddleHot* hot) { hot->owner_write = ~0u; }

void Sharing::SetRunning(HeddleHot* hot, ThreadId thread, bool is_alone) {
  const Ancestry& origin = ancestry[thread];
  const std::uint32_t own = (thread + 1u) | epoch | generation;
  hot->owner_read = own;
  hot->owner_write = own | HEDDLE_CELL_WRITTEN;
  hot->creator = origin.creator;
  hot->created = origin.created;
  hot->noted_sites = is_alone ? 0 : kSiteMask;
}

void Sharing::ThreadCreated(ThreadId child, ThreadId parent) {
  if (epoch != kLastEpoch) epoch += 1u << kEpochAt;
  ancestry[child] = {parent, kNoThread, parent + 1u, epoch};
}

void Sharing::GoOnInNewEpoch(HeddleHot* hot) {
  const std::uint32_t own = (hot->owner_read & ~HEDDLE_CELL_EPOCH) | epoch;
  hot->owner_read = own;
  hot->owner_write = own | HEDDLE_CELL_WRITTEN;
  hot->noted_sites = kSiteMask;
}

void Sharing::ThreadJoined(ThreadId child, ThreadId by) { ancestry[child].joined_by = by; }

void Sharing::Quiesced() {
  if (generation == HEDDLE_CELL_GENERATION) {
    touched.Clear();
    generation = 0;
  }
  generation += 1u << kGenerationAt;
  ++age;
}

void Sharing::ResetForRun() {
  epoch = 0;
  Quiesced();
}

std::uint64_t Sharing::Age() { return age; }

void Sharing::Touch(const void* address, std::uint64_t size, bool is_write, ThreadId thread,
                    Site* site, Channel* channel) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  if (__builtin_expect(size - 1 > 7 - (first & 7), 0)) {  // none, or several
    return TouchCells(first, size, is_write, thread, epoch, site, channel);
  }
  TouchCell(CellOf(first), is_write, thread, epoch, site, channel);
}

void Sharing::TouchGranuleAtPoint(const void* address, bool is_write, ThreadId thread,
                                  Channel* channel) {
  TouchCell(CellOf(reinterpret_cast<std::uint64_t>(address)), is_write, thread, epoch | kByPoint,
            nullptr, channel);
}

void Sharing::TouchGranulesAtPoint(const void* address, std::uint64_t size, bool is_write,
                                   ThreadId thread, Channel* channel) {
  TouchCells(reinterpret_cast<std::uint64_t>(address), size, is_write, thread, epoch | kByPoint,
             nullptr, channel);
}

bool Sharing::IsTouchedByOthers(const void* address, std::uint64_t size, ThreadId thread) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  const std::uint32_t self = thread + 1u;
  const std::uint64_t* const end = CellOf(first + size + 7);
  for (const std::uint64_t* word = CellOf(first); word < end; ++word) {
    const auto low = static_cast<std::uint32_t>(*word);
    if (((low ^ generation) & HEDDLE_CELL_GENERATION) != 0) continue;
    const std::uint32_t whose = low & (HEDDLE_CELL_THREAD | HEDDLE_CELL_STATE);
    if (whose == self || whose == (self | StateBits(kReadByOne))) continue;
    // What its creator did before is the usual case of what Ordered tells.
    if ((low & HEDDLE_CELL_STATE) == StateBits(kOwn) && IsInherited(low, thread)) continue;
    const Cell cell = Unpack(*word);
    if (cell.state == kReadByOne && ancestry[cell.thread - 1].parent == thread &&
        ancestry[cell.thread - 1].joined_by == thread) {
      continue;
    }
    if (cell.state != kOwn) return true;
    if (cell.thread == 0) continue;
    if (!Ordered(static_cast<ThreadId>(cell.thread - 1), cell.epoch, thread)) return true;
  }
  return false;
}

void Sharing::Revive(const void* address, std::uint64_t size) {
  constexpr std::uint64_t kAlive = 1;  // of generation 0, which is never the current one
  constexpr std::uint64_t kMost = 1024;
  if (size > kMost) return Forget(address, size);
  const auto first = reinterpret_cast<std::uint64_t>(address);
  std::uint64_t* const end = CellOf(first + size + 7);
  std::uint64_t* cell = CellOf(first);
  touched.Add(cell);
  for (; cell < end; ++cell) {
    if (TouchedParts::BeginsAt(cell)) touched.Add(cell);
    *cell = kAlive;
  }
}

void Sharing::Forget(const void* address, std::uint64_t size) {
  constexpr std::uint64_t kWorthASystemCall = 64 * 1024;
  const auto first = reinterpret_cast<std::uint64_t>(address);
  char* const cells = reinterpret_cast<char*>(CellOf(first));
  if (size < kWorthASystemCall) {
    Clear(cells, (size + 7) & ~7ull);
  } else {
    RawSyscall(SYS_madvise, reinterpret_cast<long>(cells) & ~4095l,
               static_cast<long>(size + 4095) & ~4095l, MADV_DONTNEED);
  }
}

}  // namespace heddle
