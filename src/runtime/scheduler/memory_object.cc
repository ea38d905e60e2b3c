#include "runtime/scheduler/memory_object.h"

namespace heddle {
namespace {

std::uint32_t FirstOf(std::uint8_t bytes) {
  return static_cast<std::uint32_t>(__builtin_ctz(bytes));
}

std::uint8_t MaskOf(std::uint64_t offset, std::uint64_t size) {
  return static_cast<std::uint8_t>(((1u << size) - 1) << offset);
}

// Parts of a granule other than the first seen are found through it, not by address.
Object* NewPart(Object* granule, std::uint8_t bytes) {
  Object* const part = Objects::Beside(granule, FirstOf(bytes));
  part->bytes = bytes;
  part->next_part = granule->next_part;
  granule->next_part = part;
  return part;
}

// From now on the granule stands for all its parts: what was done to any of them precedes what
// comes.
void Merge(Object* granule) {
  granule->is_merged = true;
  Objects::NameByByte(granule, 0);
  for (const Object* part = granule->next_part; part != nullptr; part = part->next_part) {
    granule->order.before += part->order.before;
    granule->order.last += part->order.last;
    if (part->order.access == AccessMode::kAlone) granule->order.access = AccessMode::kAlone;
  }
}

}  // namespace

Object* internal::MemoryAtLongWay(const void* address, std::uint64_t size) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  Object* const granule = Objects::At(reinterpret_cast<void*>(first & ~7ull), ObjectKind::kMemory);
  if (granule->is_merged) return granule;
  const std::uint64_t offset = first & 7;
  const std::uint8_t bytes = offset + size > 8 ? 0xff : MaskOf(offset, size);
  if (granule->bytes == 0) {
    granule->bytes = bytes;
    // Which variable of the granule is touched first must not matter for what it is called.
    if (FirstOf(bytes) != 0) Objects::NameByByte(granule, FirstOf(bytes));
  }
  if (granule->bytes == bytes) return granule;
  bool overlaps = (granule->bytes & bytes) != 0;
  for (Object* part = granule->next_part; part != nullptr && !overlaps; part = part->next_part) {
    if (part->bytes == bytes) return part;
    overlaps = (part->bytes & bytes) != 0;
  }
  if (!overlaps) return NewPart(granule, bytes);
  Merge(granule);
  return granule;
}

}  // namespace heddle
