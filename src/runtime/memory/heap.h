// The tested program's heap: deterministic, address-stable, and able to say what a pointer points
// into.
//
// The same sequence of calls gives the same addresses in every process (the range is fixed), and
// every block has a name that does not depend on addresses: (allocating thread, nth allocation of
// that thread). Not thread-safe: only one thread of the program runs at a time.
#ifndef HEDDLE_RUNTIME_MEMORY_HEAP_H_
#define HEDDLE_RUNTIME_MEMORY_HEAP_H_

#include <cstddef>
#include <cstdint>

#include "runtime/memory/layout.h"

namespace heddle {

struct HeapBlock {
  std::uint64_t owner_path = 0;       // path hash of the allocating thread
  std::uint64_t nth = 0;              // its nth allocation, from 1; 0 = the block is free
  std::uint64_t size = 0;             // as asked for
  std::uint64_t site : 62 = 0;        // return address of the allocation
  std::uint64_t has_objects : 1 = 0;  // some address inside is a known object of the run
  std::uint64_t is_freed : 1 = 0;     // by the program, but not given back to this heap
};

struct HeapSpan;  // where blocks of one size lie; see heap.cc

struct HeapRange {
  HeapBlock* block = nullptr;  // nullptr: not a block of this heap
  std::uint64_t base = 0;
  const HeapSpan* span = nullptr;
};

class Heap {
 public:
  // Takes the range. Before the program's own code: that may forbid itself more memory.
  static void Prepare();
  // nullptr when the range is used up. `alignment` is a power of two, at least 16 in effect.
  // *is_fresh: nobody had this memory before, in this run.
  static void* Allocate(std::size_t size, std::size_t alignment, HeapBlock name, bool* is_fresh);
  // `pointer` must be the base of a block that is not free; false otherwise.
  static bool Free(void* pointer);
  // The program has freed the live block, but it is kept from being handed out again until Free().
  static void Retire(const HeapRange& range);
  // The block that begins there, alive or retired; nullptr if none does.
  static HeapRange BlockAt(std::uint64_t address);
  // The live or freed block around an address.
  static HeapRange Find(std::uint64_t address);
  static std::size_t UsableSize(const void* pointer);
  static std::uint64_t BytesInUse();  // by blocks that are alive

  // For runs that follow each other in one process. From the first call on, what was allocated so
  // far stays (the process's one-time initialisation), and every call takes back all that was
  // allocated since the last one: the next run gets the addresses that the first one got.
  // False: blocks of the last run are still alive. Then its memory stays as it is, for good.
  static bool ResetForRun();
  // Whether ResetForRun() would take back all that the run retired, too: nobody need free it.
  static bool TakesBackRetired();

  static bool Contains(std::uint64_t address) { return address - kHeapBase < kHeapSize; }
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_HEAP_H_
