// What some runs tell about a program: how long it is, how many operations each thread makes and on
// which objects.
//
// Threads are named by path and objects by key, so that the counts mean something in the next run.
// The profile of several runs does not depend on the order in which they are added.
#ifndef HEDDLE_STRATEGY_PROFILE_H_
#define HEDDLE_STRATEGY_PROFILE_H_

#include <cstdint>
#include <map>

#include "strategy/state_text.h"
#include "trace/run_trace.h"

namespace heddle {

class Profile {
 public:
  // Summed over the runs; divide by `runs`.
  struct Thread {
    std::uint64_t parent = 0;  // path; 0 = none
    std::uint64_t points = 0;  // operations that are scheduling points
  };
  struct Object {
    std::uint64_t writes = 0;
    std::map<std::uint64_t, std::uint64_t> accesses;  // by thread path
  };

  std::uint64_t runs = 0;
  std::uint64_t most_events = 0;            // that are scheduling points, in one run
  std::uint64_t most_decisions = 0;         // between threads, in one run
  std::map<std::uint64_t, Thread> threads;  // by path
  std::map<std::uint64_t, Object> objects;  // by key

  void Add(const RunTrace& trace);

  void Write(StateWriter& writer) const;
  // The reader's ok() tells whether it was one.
  static Profile Read(StateReader& reader);

 private:
  void Count(std::uint64_t path, OpKind kind, ObjectId id, const RunTrace& trace);
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_PROFILE_H_
