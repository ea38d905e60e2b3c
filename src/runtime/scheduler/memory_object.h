// Memory as objects: each variable its own, so that neighbours in one word do not look dependent.
//
// A granule of 8 bytes is one object as long as all accesses to it cover the same bytes. Accesses
// to other, disjoint bytes get objects of their own. As soon as two accesses overlap without being
// equal, the granule is one object for good: then dependence is over-approximated, never missed.
// That is so from when the second of them is carried out, not from when it is announced: what
// others do until then must not depend on how far it has got.
#ifndef HEDDLE_RUNTIME_SCHEDULER_MEMORY_OBJECT_H_
#define HEDDLE_RUNTIME_SCHEDULER_MEMORY_OBJECT_H_

#include <cstdint>

#include "runtime/scheduler/object.h"

namespace heddle {

namespace internal {

// Whatever has been touched there before. `granule`: if it is known already.
Object* MemoryAtLongWay(Object* granule, const void* address, std::uint64_t size);
Object* MixedMemoryNow(Object* announced, const void* address, std::uint64_t size, OpKind kind);

}  // namespace internal

// What an access is announced to be on.
inline Object* MemoryAt(const void* address, std::uint64_t size) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  Object* const granule =
      Objects::FindAt(reinterpret_cast<void*>(first & ~7ull), ObjectKind::kMemory);
  // Usually the same variable as before, or its neighbour.
  const std::uint64_t offset = first & 7;
  if (granule != nullptr && !granule->is_merged && offset + size <= 8) {
    const std::uint32_t bytes = ((1u << size) - 1) << offset;
    if (granule->bytes == bytes) return granule;
    Object* const part = granule->next_part;
    if (part != nullptr && part->bytes == bytes) return part;
  }
  return internal::MemoryAtLongWay(granule, address, size);
}

// What it is on when it is carried out.
inline Object* MemoryNow(Object* announced, const void* address, std::uint64_t size, OpKind kind) {
  if (__builtin_expect(!announced->is_mixed, 1)) return announced;
  return internal::MixedMemoryNow(announced, address, size, kind);
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_MEMORY_OBJECT_H_
