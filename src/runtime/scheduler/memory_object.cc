#include "runtime/scheduler/memory_object.h"

#include "runtime/scheduler/scheduler.h"

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
  part->is_mixed = granule->is_mixed;
  part->next_part = granule->next_part;
  granule->next_part = part;
  return part;
}

// Whose last events are those of both. To whoever reads next, readers are no matter; what was
// written last then lies before its group.
void Join(const ObjectOrder& part, bool reads_next, ObjectOrder* order) {
  const bool is_read = order->access == AccessMode::kReading;
  const bool is_part_read = part.access == AccessMode::kReading;
  if (reads_next || (is_read && is_part_read)) {
    order->before =
        (is_read ? order->before : order->last) + (is_part_read ? part.before : part.last);
    order->last = (is_read ? order->last : 0) + (is_part_read ? part.last : 0);
    order->access = AccessMode::kReading;
  } else {
    order->before += part.before;
    order->last += part.last;
    order->access = AccessMode::kAlone;
  }
}

// From now on the granule stands for all its parts: what was done to any of them precedes what
// comes.
void Merge(Object* granule, OpKind next) {
  granule->is_merged = true;
  Objects::NameByByte(granule, 0);
  Scheduler::Get()->recorder().Widen(*granule);
  for (const Object* part = granule->next_part; part != nullptr; part = part->next_part) {
    Join(part->order, AccessOf(next) == AccessMode::kReading, &granule->order);
  }
}

// Whoever has announced something on one of them is to look again when that is carried out.
void Mix(Object* granule) {
  for (Object* part = granule; part != nullptr; part = part->next_part) part->is_mixed = true;
}

std::uint8_t BytesOf(std::uint64_t first, std::uint64_t size) {
  const std::uint64_t offset = first & 7;
  return offset + size > 8 ? 0xff : MaskOf(offset, size);
}

}  // namespace

Object* internal::MemoryAtLongWay(Object* granule, const void* address, std::uint64_t size) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  const std::uint8_t bytes = BytesOf(first, size);
  if (granule == nullptr) {
    granule = Objects::At(reinterpret_cast<void*>(first & ~7ull), ObjectKind::kMemory);
  }
  if (granule->is_merged) return granule;
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
  Mix(granule);
  return granule;
}

Object* internal::MixedMemoryNow(Object* announced, const void* address, std::uint64_t size,
                                 OpKind kind) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  Object* const granule =
      Objects::FindAt(reinterpret_cast<void*>(first & ~7ull), ObjectKind::kMemory);
  if (granule == nullptr) return announced;  // its memory has been given back
  if (granule->is_merged) return granule;
  const std::uint8_t bytes = BytesOf(first, size);
  if (announced->bytes == bytes) return announced;
  Merge(granule, kind);
  return granule;
}

}  // namespace heddle
