// The hash of a run's partial order: equal for runs that differ only in the order of events that
// do not conflict.
//
// Two events conflict when they touch the same object and one of them writes (trace/op.h). The
// conflict order of a run is known once every event's last conflicting write is known, and for a
// write also the reads since then. So each event is hashed with just that, and the class is the sum
// of the hashes: a constant amount of work per event, whatever the run's length and threads.
//
// Whoever executes a run (the scheduler, the abstract machine) keeps one ClassHash per run and one
// ObjectOrder per object.
#ifndef HEDDLE_TRACE_CLASS_HASH_H_
#define HEDDLE_TRACE_CLASS_HASH_H_

#include <cstdint>

#include "base/hash.h"
#include "trace/op.h"

namespace heddle {

// An event's name in every run that has it: the nth (from 0) of the thread with that path.
constexpr std::uint64_t EventIdentity(std::uint64_t path_hash, std::uint64_t nth_of_thread) {
  return Mix(path_hash + nth_of_thread * 0x9e3779b97f4a7c15ull);
}

// What an object remembers of the events that touched it.
struct ObjectOrder {
  std::uint64_t last_write = 0;   // identity
  std::uint64_t reads_since = 0;  // sum of identities
  std::uint64_t last_read = 0;    // identity; 0 = none since the write
};

class ClassHash {
 public:
  // `key` is the object's name in every run (ObjectRecord::key). An event on two objects (a wait
  // and its mutex) is added once for each, with the same identity.
  //
  // Identities and keys are mixed already, so a sum with odd factors keeps them apart, and one more
  // mixing keeps the sums of different events apart.
  void Add(std::uint64_t identity, OpKind kind, std::uint64_t key, ObjectOrder& order) {
    std::uint64_t sum = identity + static_cast<std::uint64_t>(kind) + key * 0xd6e8feb86659fd93ull +
                        order.last_write * 0xa0761d6478bd642full;
    if (IsWrite(kind)) {
      sum += order.reads_since * 0xe7037ed1a0b428dbull;
      order = {.last_write = identity, .reads_since = 0, .last_read = 0};
    } else {
      order.reads_since += identity;
      order.last_read = identity;
    }
    sum_ += Mix(sum);
  }

  // An event that touches no object: it is part of the class, in the order of its thread only.
  void AddLocal(std::uint64_t identity, OpKind kind) {
    sum_ += Mix(identity + static_cast<std::uint64_t>(kind));
  }

  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_CLASS_HASH_H_
