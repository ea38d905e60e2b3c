// A name for an address that is the same in every run and every process.
//
// Static data is (module, offset), the heap is (allocating thread, nth allocation, offset), a stack
// or a thread-local is (thread, offset). Anything else is named by the order in which pages were
// first seen.
#ifndef HEDDLE_RUNTIME_MEMORY_LOCATION_H_
#define HEDDLE_RUNTIME_MEMORY_LOCATION_H_

#include <cstdint>

#include "base/ids.h"
#include "runtime/memory/layout.h"

namespace heddle {

struct Location {
  std::uint64_t key = 0;
  std::uint64_t allocation_site = 0;  // heap only
  std::uint32_t offset = 0;           // within the heap block
};

class Locations {
 public:
  // Once, on the main thread: where its stack and thread-locals lie.
  static void SetMain(std::uint64_t stack_top, std::uint64_t thread_pointer);
  // As far as its stack may ever reach.
  static AddressRange MainStack() { return main_stack_; }
  static bool IsMainStack(std::uint64_t address) { return main_stack_.Has(address); }

  // Between two runs in one process. What was seen before the first call stays known.
  static void ResetForRun();

  // Marks a heap block as holding an object, so that freeing it forgets the object.
  static Location Of(std::uint64_t address);

 private:
  static Location OfOther(std::uint64_t address);

  static AddressRange main_stack_;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_LOCATION_H_
