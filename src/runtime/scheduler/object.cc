#include "runtime/scheduler/object.h"

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "base/hash.h"
#include "runtime/memory/location.h"

namespace heddle {
namespace {

constexpr std::size_t kFirstSlots = 1024;
Object* first_slots[kFirstSlots];

}  // namespace

namespace internal {

Object** ObjectSlots::slots = first_slots;
std::size_t ObjectSlots::mask = kFirstSlots - 1;

}  // namespace internal

namespace {

using internal::ObjectSlots;

struct Table {
  std::vector<Object*> grown;  // the slots, when there are more than the first
  // From `count` on: made for an earlier run, to be used again.
  std::vector<Object*> by_id{nullptr};
  std::size_t count = 1;
  std::size_t used = 0;
  bool grew = false;  // since the run began
};
Table* table = nullptr;
Object tombstone;

std::span<Object*> Slots() { return {ObjectSlots::slots, ObjectSlots::mask + 1}; }

void Insert(std::span<Object*> slots, Object* object) {
  std::size_t at = ObjectSlots::Home(object->address, object->kind) & (slots.size() - 1);
  while (slots[at] != nullptr) at = (at + 1) & (slots.size() - 1);
  slots[at] = object;
  object->slot = static_cast<std::uint32_t>(at);
}

void GrowIfCrowded() {
  if (table->used * 2 < ObjectSlots::mask + 1) return;
  table->grew = true;
  std::vector<Object*> larger(2 * (ObjectSlots::mask + 1), nullptr);
  table->used = 0;
  for (Object* object : Slots()) {
    if (object == nullptr || object == &tombstone) continue;
    Insert(larger, object);
    ++table->used;
  }
  table->grown.swap(larger);
  ObjectSlots::slots = table->grown.data();
  ObjectSlots::mask = table->grown.size() - 1;
}

void Name(Object* object, const Location& location) {
  object->key = Mix(location.key, static_cast<std::uint64_t>(object->kind));
  object->allocation_site = location.allocation_site;
  object->offset = location.offset;
}

Object* New(std::uint64_t address, ObjectKind kind, const Location& location) {
  if (table->count == table->by_id.size()) table->by_id.push_back(new Object());
  Object* const object = table->by_id[table->count];
  object->kind = kind;
  object->address = address;
  Name(object, location);
  object->id = static_cast<ObjectId>(table->count++);
  return object;
}

Object* Make(std::uint64_t address, ObjectKind kind, const Location& location) {
  if (table == nullptr) table = new Table();
  GrowIfCrowded();
  Object* const object = New(address, kind, location);
  Insert(Slots(), object);
  ++table->used;
  return object;
}

}  // namespace

Object* Objects::At(const void* address, ObjectKind kind) {
  const auto value = reinterpret_cast<std::uint64_t>(address);
  Object* const found = ObjectSlots::Find(value, kind);
  return found != nullptr ? found : Make(value, kind, Locations::Of(value));
}

Object* Objects::Named(ObjectKind kind, std::uint64_t key) {
  Object* const found = ObjectSlots::Find(key, kind);
  return found != nullptr ? found : Make(key, kind, Location{.key = Mix(key)});
}

Object* Objects::Beside(const Object* granule, std::uint32_t byte) {
  return New(granule->address, ObjectKind::kMemory, Locations::Of(granule->address + byte));
}

void Objects::NameByByte(Object* granule, std::uint32_t byte) {
  Name(granule, Locations::Of(granule->address + byte));
}

Object* Objects::ById(ObjectId id) { return table->by_id[id]; }

std::uint32_t Objects::Count() {
  return table == nullptr ? 1 : static_cast<std::uint32_t>(table->count);
}

void Objects::ResetForRun() {
  if (table == nullptr) return;
  // What was forgotten left a tombstone in its place; only growing moves objects.
  const std::span<Object*> slots = Slots();
  if (table->grew) std::fill(slots.begin(), slots.end(), nullptr);
  for (std::size_t id = 1; id < table->count; ++id) {
    Object* const object = table->by_id[id];
    if (!table->grew) slots[object->slot] = nullptr;
    delete object->rwlock;
    delete object->barrier;
    std::destroy_at(object);
    new (object) Object;
  }
  table->count = 1;
  table->used = 0;
  table->grew = false;
}

void Objects::Forget(Object* object) {
  const std::span<Object*> slots = Slots();
  std::size_t at = ObjectSlots::Home(object->address, object->kind) & ObjectSlots::mask;
  while (slots[at] != object) {
    if (slots[at] == nullptr) return;
    at = (at + 1) & ObjectSlots::mask;
  }
  slots[at] = &tombstone;
}

void Objects::ForgetRange(std::uint64_t begin, std::uint64_t size) {
  if (table == nullptr) return;
  // Few objects or a large range: walk the objects; otherwise walk the range.
  constexpr ObjectKind kAddressed[] = {ObjectKind::kMemory,
                                       ObjectKind::kMutex,
                                       ObjectKind::kCondition,
                                       ObjectKind::kSemaphore,
                                       ObjectKind::kFutex,
                                       ObjectKind::kOnce,
                                       ObjectKind::kRwLock,
                                       ObjectKind::kBarrier,
                                       ObjectKind::kSpinlock,
                                       ObjectKind::kStream,
                                       ObjectKind::kCountingSemaphore,
                                       ObjectKind::kBinarySemaphore,
                                       ObjectKind::kOwnedLock,
                                       ObjectKind::kMonitorSC,
                                       ObjectKind::kMonitorSU,
                                       ObjectKind::kAsyncPort,
                                       ObjectKind::kBoundedPort,
                                       ObjectKind::kSyncPort};
  if (size / 8 * std::size(kAddressed) > ObjectSlots::mask + 1) {
    for (Object* object : Slots()) {
      if (object == nullptr || object == &tombstone) continue;
      if (object->address - begin < size) Forget(object);
    }
    return;
  }
  for (std::uint64_t at = begin & ~7ull; at < begin + size; at += 4) {
    for (const ObjectKind kind : kAddressed) {
      Object* const object = ObjectSlots::Find(at, kind);
      if (object != nullptr) Forget(object);
    }
  }
}

}  // namespace heddle
