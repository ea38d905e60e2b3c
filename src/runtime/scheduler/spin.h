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
#include "runtime/scheduler/own_state.h"
#include "trace/records.h"

namespace heddle {

// One thread's loop.
class Spin {
 public:
  // What the thread did, with all that came of it. Every event, in order. `changed_nothing`: a
  // read-modify-write left the value that it found, as test-and-set does to a flag that is set.
  void Did(const Event& event, const Object* object, bool changed_nothing) {
    if (loop_.site != 0) DidInLoop(event, object, changed_nothing);
  }

  // The thread announces an operation at a place that is not its loop's beginning.
  void Pass(OpKind kind, std::uint64_t site, std::uint64_t call_depth) {
    // Brent's way to find a cycle: another beginning after twice as many steps each time.
    if (loop_.site != 0 && loop_.operations < loop_.length) return;
    if (MayBegin(kind))
      StartAt(site, call_depth, loop_.site == 0 ? kFirstLength : 2 * loop_.length);
  }
  // Whether the loop is said to begin there.
  bool IsAt(std::uint64_t site, std::uint64_t call_depth) const {
    return site == loop_.site && site != 0 && call_depth == loop_.call_depth;
  }
  // The thread announces an operation there. True: its iterations are an await; never, unless that
  // is wanted.
  bool ComeRound(AddressRange stack, bool may_await);

  // The thread goes round in a loop whose accesses nobody sees. True: it did nothing since it was
  // there last, and has the same state, so it waits for somebody else. `progress`: of all threads.
  bool ComeRoundUnseen(std::uint64_t site, std::uint64_t state, std::uint64_t progress);

  // Of an await: whether something differs from what the iteration read, or may differ where nobody
  // saw that.
  bool HasChanged(std::uint64_t progress) const;

  // Of an await: whether an event of another thread has since written where it read.
  bool IsOverwritten() const;

  // A loop that is known to be an await begins there: its thread comes to it.
  void Enter(std::uint64_t site, std::uint64_t call_depth);
  // Of a round that was entered: it has read something, and left nothing behind that others see.
  bool HasDoneNothing() const;
  // Nothing tells its end from its beginning, either: an await from now on. `state`: the hash of
  // the thread's own.
  void Stand(std::uint64_t state);
  bool is_in_round() const { return loop_.site != 0 && loop_.operations <= kMostLength; }

  // While it is watched, every plain write of the thread is to be told.
  bool is_watched() const { return loop_.is_watched; }
  void Wrote(const void* address, AddressRange stack) {
    if (!stack.Has(reinterpret_cast<std::uint64_t>(address))) loop_.wrote = true;
  }

  // Nobody else can go on, so an awaiting thread goes round all the same: until something differs,
  // which ends the rehearsal, or it may no longer (scheduler/rehearsal.h).
  void GoRound() {
    ++loop_.rehearsed;
    BeginRound();
  }
  std::uint32_t rehearsed() const { return loop_.rehearsed; }
  bool is_rehearsing() const { return loop_.rehearsed > 0; }
  // What may be repeated without an effect.
  static bool MayRepeat(OpKind kind);

  // It has come round so often that it should let others go first.
  bool is_spinning() const { return loop_.rounds >= kManyRounds; }

  void Reset() { loop_ = Loop(); }

 private:
  static constexpr std::uint32_t kManyRounds = 16;
  static constexpr std::uint32_t kMostReads = 8;    // locations of one iteration
  static constexpr std::uint32_t kFirstLength = 2;  // of an iteration, in operations
  static constexpr std::uint32_t kMostLength = 64;

  struct Value {
    const void* granule;
    std::uint64_t value;
    const Object* object;
    std::uint64_t writer;  // identity of the event that wrote it last
    std::uint8_t bytes;    // of the granule, as a mask
  };

  struct Loop {
    std::uint64_t site = 0;  // where it is said to begin; 0: nowhere yet
    std::uint64_t call_depth = 0;
    std::uint64_t done = 0;         // hash of this iteration's operations and values
    std::uint64_t done_before = 0;  // of the one before
    std::uint64_t state = 0;        // registers and stack at the last arrival; 0: not looked at
    std::uint32_t operations = 0;
    std::uint32_t length = kFirstLength;  // operations after which another beginning is tried
    std::uint32_t rounds = 0;             // alike, in a row
    std::uint32_t patience = 1;           // rounds before the next look
    std::uint32_t waited = 0;
    std::uint32_t rehearsed = 0;   // rounds since it was found to be an await
    std::uint32_t read_count = 0;  // above kMostReads: too many
    std::int32_t locks = 0;        // taken and not given back in this iteration
    bool is_unseen = false;
    std::uint64_t progress = 0;  // of all threads by then, of one that is
    bool is_watched = false;
    bool wrote = false;
  };

  static bool MayBegin(OpKind kind);
  void DidInLoop(const Event& event, const Object* object, bool changed_nothing);
  std::uint64_t Read(const Event& event, const Object* object);
  // What does not fit, or lies in the kernel, can't be compared: it is no await.
  void ReadUnknown() { loop_.read_count = kMostReads + 1; }
  void StartAt(std::uint64_t site, std::uint64_t call_depth, std::uint32_t length);
  void BeginRound();
  bool IsStill(AddressRange stack, bool can_compare);

  Loop loop_;
  Value reads_[kMostReads];  // the first read_count are this iteration's
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_SPIN_H_
