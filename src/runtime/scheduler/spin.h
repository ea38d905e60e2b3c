// Busy waiting: when a thread's loop can't end before somebody else changes what it reads.
//
// An iteration is what a thread does between two arrivals at the same instruction, at the same
// depth of calls. It is an await if nothing tells it from the one before: the same operations with
// the same values read, the same registers and stack bytes at its end, nothing written outside the
// thread's own stack, locks given back, and no time spent. Then the next iteration is the same too,
// as long as what it read stays the same: the thread is as good as blocked, and enabled again as
// soon as one of those values differs. A loop that counts its rounds differs in a register or in
// memory, and goes on: a bounded spin keeps its fallback path.
//
// Looking at registers takes the unwinder, so it is done only for loops that have read the same
// values several times, and ever more rarely for one that turned out not to be an await.
#ifndef HEDDLE_RUNTIME_SCHEDULER_SPIN_H_
#define HEDDLE_RUNTIME_SCHEDULER_SPIN_H_

#include <cstddef>
#include <cstdint>

#include "runtime/scheduler/object.h"
#include "trace/records.h"

namespace heddle {

struct StackBounds {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool Contains(std::uint64_t address) const { return address >= low && address < high; }
};

// One thread's loop.
class Spin {
 public:
  // What the thread did, with all that came of it. Every event, in order.
  void Did(const Event& event, const Object* object);

  // The thread announces an operation. True: it has just come round, and its iterations are an
  // await.
  bool Arrive(OpKind kind, std::uint64_t site, std::uint64_t call_depth, StackBounds stack);

  // Of an await: whether something differs from what the iteration read.
  bool HasChanged() const;

  // While it is watched, every plain write of the thread is to be told.
  bool is_watched() const { return is_watched_; }
  void Wrote(const void* address, StackBounds stack) {
    if (!stack.Contains(reinterpret_cast<std::uint64_t>(address))) wrote_ = true;
  }

  // It has come round so often that it should let others go first.
  bool is_spinning() const { return rounds_ >= kManyRounds; }

  void Reset() { *this = Spin(); }

 private:
  static constexpr std::uint32_t kManyRounds = 16;
  static constexpr std::uint32_t kMostReads = 8;    // locations of one iteration
  static constexpr std::uint32_t kFirstLength = 2;  // of an iteration, in operations
  static constexpr std::uint32_t kMostLength = 64;

  struct Value {
    const void* address = nullptr;
    std::uint64_t value = 0;
    std::uint32_t size = 0;
  };

  void Read(const Event& event, const Object* object);
  void StartAt(std::uint64_t site, std::uint64_t call_depth, std::uint32_t length);
  void BeginRound();

  std::uint64_t site_ = 0;  // where the loop is said to begin; 0: nowhere yet
  std::uint64_t call_depth_ = 0;
  std::uint64_t done_ = 0;         // hash of this iteration's operations and values
  std::uint64_t done_before_ = 0;  // of the one before
  std::uint64_t state_ = 0;        // registers and stack at the last arrival; 0: not looked at
  std::uint32_t operations_ = 0;
  std::uint32_t length_ = kFirstLength;  // operations after which another beginning is tried
  std::uint32_t rounds_ = 0;             // alike, in a row
  std::uint32_t patience_ = 1;           // rounds before the next look
  std::uint32_t waited_ = 0;
  std::uint32_t read_count_ = 0;  // above kMostReads: too many
  std::int32_t locks_ = 0;        // taken and not given back in this iteration
  bool is_watched_ = false;
  bool wrote_ = false;
  Value reads_[kMostReads];
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_SPIN_H_
