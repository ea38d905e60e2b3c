// The hash of a run's partial order: equal for runs that differ only in the order of events that
// do not depend on each other (trace/dependence.h).
//
// The events on an object fall into groups: neighbours that commute with each other, or one event
// alone. A run's class is known once every event's group before is known for each of its objects.
// So each event is hashed with just that, and the class is the sum of the hashes: a constant amount
// of work per event, whatever the run's length and threads.
//
// Whoever executes a run (the scheduler, the abstract machine) keeps one ClassHash per run and one
// ObjectOrder per object.
#ifndef HEDDLE_TRACE_CLASS_HASH_H_
#define HEDDLE_TRACE_CLASS_HASH_H_

#include <cstdint>

#include "base/hash.h"
#include "trace/dependence.h"
#include "trace/op.h"

namespace heddle {

// An event's name in every run that has it: the nth (from 0) of the thread with that path.
constexpr std::uint64_t EventIdentity(std::uint64_t path_hash, std::uint64_t nth_of_thread) {
  return MixOnce(path_hash + nth_of_thread * 0x9e3779b97f4a7c15ull);
}

// What an object remembers of the events that touched it.
struct ObjectOrder {
  std::uint64_t before = 0;  // sum of the identities of the group before the last one
  std::uint64_t last = 0;    // ... of the last group, so far
  AccessMode access = AccessMode::kReading;
  std::uint64_t last_write = 0;  // identity
  std::uint64_t last_read = 0;   // identity; 0 = none since the write
};

// No point, and nothing that anybody waits for: it goes with what its thread did before, and keeps
// nobody else in order. (A thread that is detached has ended by then or not.)
constexpr bool IsPartOfTurnBefore(OpKind kind) {
  return kind == OpKind::kClock || kind == OpKind::kDetach;
}

class ClassHash {
 public:
  // `key` is the object's name in every run (ObjectRecord::key). An event on two objects (a wait
  // and its mutex) is added once for each, with the same identity.
  //
  // Identities and keys are mixed already, so a sum with odd factors keeps them apart, and one more
  // mixing keeps the sums of different events apart.
  void Add(std::uint64_t identity, OpKind kind, AccessMode access, std::uint64_t key,
           ObjectOrder& order) {
    if (Commute(access, order.access)) {
      order.last += identity;
    } else {
      order.before = order.last;
      order.last = identity;
      order.access = access;
    }
    if (IsWrite(kind)) {
      order.last_write = identity;
      order.last_read = 0;
    } else {
      order.last_read = identity;
    }
    sum_ += MixOnce(identity + static_cast<std::uint64_t>(kind) + key * 0xd6e8feb86659fd93ull +
                    order.before * 0xa0761d6478bd642full);
  }

  // Whom an event woke is part of what it is.
  void AddWoken(std::uint64_t identity, std::uint64_t path_hash) {
    sum_ += MixOnce(identity + path_hash * 0xe7037ed1a0b428dbull);
  }

  // An event that touches no object: it is part of the class, in the order of its thread only.
  void AddLocal(std::uint64_t identity, OpKind kind) {
    sum_ += MixOnce(identity + static_cast<std::uint64_t>(kind));
  }

  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_CLASS_HASH_H_
