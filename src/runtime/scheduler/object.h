// What operations act on: locks, queues, memory granules, threads, the clock. Found by address.
#ifndef HEDDLE_RUNTIME_SCHEDULER_OBJECT_H_
#define HEDDLE_RUNTIME_SCHEDULER_OBJECT_H_

#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "model/barrier.h"
#include "model/mutex.h"
#include "model/once.h"
#include "model/rwlock.h"
#include "model/semaphore.h"
#include "model/wait_queue.h"
#include "trace/class_hash.h"
#include "trace/records.h"

namespace heddle {

struct Thread;

// Made anew when it is first seen in a run (New in object.cc): what every object has lies together.
struct alignas(64) Object {
  ObjectKind kind = ObjectKind::kUnknown;
  // Memory only (scheduler/memory_object.h).
  std::uint8_t bytes = 0;  // of the granule that it covers, as a mask; 0 = not yet known
  bool is_merged = false;  // it covers them all
  bool is_mixed = false;   // accesses to its granule overlap without being equal
  ObjectId id = kNoObject;
  std::uint64_t address = 0;
  std::uint64_t key = 0;  // runtime/memory/location.h
  std::uint64_t allocation_site = 0;
  std::uint32_t offset = 0;
  std::uint32_t slot = 0;     // in the table of objects
  std::uint8_t noted = 0;     // of ObjectRecord
  ObjectOrder order;          // who wrote and read it last, for the class hash
  Thread* pending = nullptr;  // threads whose announced operation may block on it
  Object* next_part = nullptr;
  Object* next_in_table = nullptr;  // of those that were put there in this run

  // By kind; unused ones cost a few words.
  Mutex mutex;
  Semaphore semaphore;
  ThreadId thread = kNoThread;  // that it stands for
  Once once;
  WaitQueue waiters;                   // conditions, futexes, barriers
  Object* mutex_of_waiters = nullptr;  // of a condition, as long as somebody waits
  RwLock* rwlock = nullptr;
  Barrier* barrier = nullptr;

  static constexpr std::uint8_t kOnes[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  std::uint8_t byte_count() const {  // 0: any of its granule
    if (bytes == 0 || is_merged) return 0;
    return static_cast<std::uint8_t>(kOnes[bytes & 15] + kOnes[bytes >> 4]);
  }
  std::uint64_t first_byte() const {
    return bytes == 0 || is_merged ? address
                                   : address + static_cast<unsigned>(__builtin_ctz(bytes));
  }
};

namespace internal {

// Open addressing over (address, kind); forgotten objects leave a tombstone until the next growth.
struct ObjectSlots {
  static std::size_t Home(std::uint64_t address, ObjectKind kind) {
    const std::uint64_t name = address + (static_cast<std::uint64_t>(kind) << 56);
    return (name * 0x9e3779b97f4a7c15ull) >> 32;
  }
  static Object* Find(std::uint64_t address, ObjectKind kind) {
    for (std::size_t at = Home(address, kind);; ++at) {
      Object* const object = slots[at & mask];
      if (object == nullptr || (object->address == address && object->kind == kind)) return object;
    }
  }

  static Object** slots;
  static std::size_t mask;  // their number less one
};

}  // namespace internal

class Objects {
 public:
  // The object at an address, made on first sight.
  static Object* At(const void* address, ObjectKind kind);
  // nullptr if never seen. Asked at every access.
  static Object* FindAt(const void* address, ObjectKind kind) {
    return internal::ObjectSlots::Find(reinterpret_cast<std::uint64_t>(address), kind);
  }
  // Without an address: the clock, the process. `key` names it in every run.
  static Object* Named(ObjectKind kind, std::uint64_t key);
  // A new one for a new thread, which alone knows it; `key` likewise.
  static Object* ForThread(ThreadId thread, std::uint64_t key);
  // Another object in the granule of `granule`, at that byte.
  static Object* Beside(const Object* granule, std::uint32_t byte);
  // The granule itself is known by that byte from now on.
  static void NameByByte(Object* granule, std::uint32_t byte);
  static Object* ById(ObjectId id);
  static std::uint32_t Count();  // ids handed out, 0 included

  // The object is gone: the next one at its address is another.
  static void Forget(Object* object);
  // All objects in a range of memory are gone.
  static void ForgetRange(std::uint64_t begin, std::uint64_t size);

  // Between two runs in one process: there never was any object. Linear in those of the last run
  // that were found by address or key.
  static void ResetForRun();
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_OBJECT_H_
