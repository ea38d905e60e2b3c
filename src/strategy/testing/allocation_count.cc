#include "strategy/testing/allocation_count.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::uint64_t allocations = 0;
}  // namespace

// In a file of its own: seen together, new and free look like a mistake to the compiler.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace heddle {
std::uint64_t AllocationCount() { return allocations; }
}  // namespace heddle
