#include "runtime/scheduler/object.h"

#include <bit>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "runtime/memory/arena.h"
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

// Objects lie side by side, in the order of their ids. Each chunk is twice as large as the one
// before; memory that no object was made in costs nothing.
constexpr std::uint64_t kFirstChunk = 256;
constexpr int kChunks = 24;

struct Table {
  std::vector<Object*>* grown = nullptr;  // the slots, when there are more than the first
  Object* in_table = nullptr;             // the last one that this run put there
  std::size_t used = 0;
  Object* chunks[kChunks] = {};
  Object* next = nullptr;   // where the next one is made
  Object* end = nullptr;    // of its chunk
  std::uint32_t count = 1;  // of this run, and one that is none
};
constinit Table table;
Object tombstone;

std::span<Object*> Slots() { return {ObjectSlots::slots, ObjectSlots::mask + 1}; }

// The number of a chunk, and of the objects before it.
int ChunkOf(ObjectId id) { return std::bit_width(id / kFirstChunk + 1) - 1; }
std::uint64_t BeforeChunk(int chunk) { return ((std::uint64_t{1} << chunk) - 1) * kFirstChunk; }

[[gnu::noinline]] void BeginChunk() {
  const int chunk = ChunkOf(table.count);
  HEDDLE_CHECK(chunk < kChunks);
  const std::uint64_t size = kFirstChunk << chunk;
  Object*& objects = table.chunks[chunk];
  if (objects == nullptr) objects = static_cast<Object*>(ArenaReserve(size * sizeof(Object)));
  table.next = objects + (table.count - BeforeChunk(chunk));
  table.end = objects + size;
}

void Insert(std::span<Object*> slots, Object* object) {
  std::size_t at = ObjectSlots::Home(object->address, object->kind) & (slots.size() - 1);
  while (slots[at] != nullptr) at = (at + 1) & (slots.size() - 1);
  slots[at] = object;
  object->slot = static_cast<std::uint32_t>(at);
}

[[gnu::noinline]] void Grow() {
  auto* const larger = new std::vector<Object*>(2 * (ObjectSlots::mask + 1), nullptr);
  table.used = 0;
  for (Object* object : Slots()) {
    if (object == nullptr || object == &tombstone) continue;
    Insert(*larger, object);
    ++table.used;
  }
  delete table.grown;
  table.grown = larger;
  ObjectSlots::slots = larger->data();
  ObjectSlots::mask = larger->size() - 1;
}

void Name(Object* object, const Location& location) {
  object->key = Mix(location.key, static_cast<std::uint64_t>(object->kind));
  object->allocation_site = location.allocation_site;
  object->offset = location.offset;
}

// Whether it has got something beside its own memory. Where there never was one are zeroes.
bool HasParts(const Object& object) {
  return object.rwlock != nullptr || object.barrier != nullptr || object.waiters.has_memory();
}

Object* New(std::uint64_t address, ObjectKind kind);

// There is no more room in the chunk, or an earlier run has left something.
[[gnu::noinline]] Object* NewUnusually(std::uint64_t address, ObjectKind kind) {
  if (table.next == table.end) BeginChunk();
  Object* const before = table.next;
  delete before->rwlock;
  delete before->barrier;
  std::destroy_at(before);
  new (before) Object;
  return New(address, kind);
}

Object* New(std::uint64_t address, ObjectKind kind) {
  Object* const object = table.next;
  const bool is_odd = object == table.end || HasParts(*object);
  if (__builtin_expect(is_odd, 0)) return NewUnusually(address, kind);
  table.next = object + 1;
  new (object) Object;
  object->kind = kind;
  object->id = table.count++;
  object->address = address;
  return object;
}

Object* Make(std::uint64_t address, ObjectKind kind, const Location& location) {
  if (__builtin_expect(table.used * 2 > ObjectSlots::mask, 0)) Grow();
  Object* const object = New(address, kind);
  Name(object, location);
  Insert(Slots(), object);
  object->next_in_table = table.in_table;
  table.in_table = object;
  ++table.used;
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

Object* Objects::ForThread(ThreadId thread, std::uint64_t key) {
  Object* const object = New(thread, ObjectKind::kThread);
  object->key = key;
  object->thread = thread;
  return object;
}

Object* Objects::Beside(const Object* granule, std::uint32_t byte) {
  Object* const object = New(granule->address, ObjectKind::kMemory);
  Name(object, Locations::Of(granule->address + byte));
  return object;
}

void Objects::NameByByte(Object* granule, std::uint32_t byte) {
  Name(granule, Locations::Of(granule->address + byte));
}

Object* Objects::ById(ObjectId id) {
  const int chunk = ChunkOf(id);
  return table.chunks[chunk] + (id - BeforeChunk(chunk));
}

std::uint32_t Objects::Count() { return table.count; }

void Objects::ResetForRun() {
  // What was forgotten left a tombstone in its place. When the table has grown since, that is
  // somebody else's, who is forgotten here too.
  Object** const slots = ObjectSlots::slots;
  for (const Object* object = table.in_table; object != nullptr; object = object->next_in_table) {
    slots[object->slot] = nullptr;
  }
  table.in_table = nullptr;
  table.used = 0;
  table.count = 1;
  if (table.end != nullptr) BeginChunk();
}

void Objects::Forget(Object* object) {
  Object*& slot = ObjectSlots::slots[object->slot];
  if (slot == object) slot = &tombstone;
}

void Objects::ForgetRange(std::uint64_t begin, std::uint64_t size) {
  if (table.count == 1) return;
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
