// Data races by happens-before, with the synchronisation of C++20.
//
// In the style of FastTrack (Flanagan and Freund, 2009): a thread has a vector clock, an access is
// remembered as an epoch (thread, time), and a location keeps only those accesses that a later one
// could race with although it does not race with any newer access that is kept. That is one epoch
// as long as accesses are ordered; reads that are not ordered with each other are kept side by
// side.
//
// Differs from the paper: exact to the byte (neighbours in a word are different locations, accesses
// may overlap in part), atomic accesses take part (they race with plain ones only), and the clocks
// follow C++20: release sequences go on through read-modify-writes only, fences make relaxed
// atomics synchronise.
//
// Pure: fed with what happened, in the order in which it happened. No system calls, no locks.
#ifndef HEDDLE_TRACE_RACE_DETECTOR_H_
#define HEDDLE_TRACE_RACE_DETECTOR_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "trace/stamped_table.h"
#include "trace/vector_clock.h"

namespace heddle {

// C++ memory orders, numbered as the compilers do.
enum class MemoryOrder : std::uint8_t {
  kRelaxed,
  kConsume,
  kAcquire,
  kRelease,
  kAcquireRelease,
  kSequential
};
constexpr bool Acquires(MemoryOrder order) {
  return order != MemoryOrder::kRelaxed && order != MemoryOrder::kRelease;
}
constexpr bool Releases(MemoryOrder order) { return order >= MemoryOrder::kRelease; }

struct MemoryAccess {
  ThreadId thread = kMainThread;
  bool is_write = false;
  bool is_atomic = false;
  std::uint64_t site = 0;
  std::uint32_t event = 0;  // its number in the run, for whoever reports it
};

class RaceDetector {
 public:
  // What threads synchronise through: anything that is one thing in a run. Atomic variables are
  // named by AtomicKey.
  using Key = std::uint64_t;
  static Key AtomicKey(std::uint64_t address) { return address; }

  // Another run: all is forgotten, the main thread exists.
  RaceDetector() { Reset(); }
  void Reset();

  void ThreadCreated(ThreadId child, ThreadId parent);
  void ThreadJoined(ThreadId child, ThreadId by);

  // What was released to `key` happens before what the thread does from now on.
  void Acquire(ThreadId thread, Key key);
  // What the thread did so far is released, to those who acquire `key` later; what others released
  // stays (a semaphore) or is no longer to be had (a mutex, whose owner acquired it).
  void Release(ThreadId thread, Key key);
  void ReleaseOnly(ThreadId thread, Key key);

  // What the thread did so far is released through who knows what: to whoever reads an atomic
  // later.
  void ReleaseUnseen(ThreadId thread);

  void Load(ThreadId thread, Key key, MemoryOrder order);
  void Store(ThreadId thread, Key key, MemoryOrder order);
  // The writing half, behind Load: it joins the release sequence that it read from.
  void Modify(ThreadId thread, Key key, MemoryOrder order);
  void Fence(ThreadId thread, MemoryOrder order);

  // The accesses that race with this one; valid until the next call. Of an atomic operation: call
  // it behind Load or between Load and the rest, what it acquires orders it too.
  std::span<const MemoryAccess> Touch(std::uint64_t address, std::uint64_t size,
                                      const MemoryAccess& access) {
    racing_.clear();
    const std::uint64_t first = address & 7;
    if (first + size <= 8) {
      TouchGranule(address / 8, MaskOf(first, first + size), access);
    } else {
      TouchMany(address, size, access);
    }
    return racing_;
  }

  // The memory has a new life.
  void Forget(std::uint64_t address, std::uint64_t size);

  std::uint32_t TimeOf(ThreadId thread) { return StateOf(thread).clock.Of(thread); }
  bool HappensBefore(ThreadId thread, std::uint32_t time, ThreadId later) const {
    return time <= threads_[later].clock.Of(thread);
  }

 private:
  struct ThreadState {
    VectorClock clock;
    std::uint64_t learnt = 0;  // changes whenever the clock does, other than by its own time
    VectorClock released;      // at the last release fence: what a relaxed store publishes
    VectorClock acquired;      // by relaxed loads: what an acquire fence takes
  };
  // What was released to a key. As long as one thread's clock covers all of it, that is noted:
  // whoever knows that thread up to that time knows it already, and the thread itself need not
  // write the same again. So repeated synchronisation costs the same however many threads there
  // are.
  struct Released {
    VectorClock clock;
    ThreadId by = kNoThread;  // whose clock it is; kNoThread: it is a mixture
    std::uint32_t time = 0;   // of that thread
    std::uint64_t learnt = 0;

    void Forget() {
      clock.Clear();
      by = kNoThread;
    }
  };
  // An access that is remembered, of some bytes of a granule.
  struct Epoch {
    MemoryAccess access;
    std::uint32_t time = 0;
    std::uint32_t next = 0;  // of the same granule; index + 1
    std::uint8_t bytes = 0;
    std::uint8_t kind = 0;  // of the access: its bit in a set of kinds
  };

  ThreadState& StateOf(ThreadId thread) {
    if (__builtin_expect(thread >= known_, 0)) Meet(thread);
    return threads_[thread];
  }
  void Meet(ThreadId thread);
  void Tick(ThreadId thread);
  Released* Find(Key key);
  Released& ReleasedTo(Key key);
  // Whether the thread's clock has all of it.
  static bool Knows(const ThreadState& state, const Released& released) {
    return released.by != kNoThread && state.clock.Of(released.by) >= released.time;
  }
  void Learn(ThreadState* state, const VectorClock& clock) {
    if (state->clock.Join(clock)) ++state->learnt;
  }
  void Publish(ThreadId thread, Released* released);
  // The bytes of a granule from `first` up to `end`.
  static std::uint8_t MaskOf(std::uint64_t first, std::uint64_t end) {
    return static_cast<std::uint8_t>((0xffu << first) & ((1u << end) - 1));
  }
  void TouchGranule(std::uint64_t granule, std::uint8_t bytes, const MemoryAccess& access);
  void TouchMany(std::uint64_t address, std::uint64_t size, const MemoryAccess& access);

  std::vector<ThreadState> threads_;  // the first known_ are this run's
  std::size_t known_ = 0;
  StampedTable sync_;      // key -> index into clocks_
  StampedTable granules_;  // address / 8 -> first epoch; index + 1
  VectorClock unseen_;     // released by means that are not seen
  std::vector<Released> clocks_;
  std::size_t clocks_used_ = 0;
  std::vector<Epoch> epochs_;
  std::uint32_t free_epochs_ = 0;
  std::vector<MemoryAccess> racing_;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_RACE_DETECTOR_H_
