// Data races by happens-before, with the synchronisation of C++20.
//
// In the style of FastTrack (Flanagan and Freund, 2009): a thread has a vector clock, an access is
// remembered as an epoch (thread, time), and a location keeps only those accesses that a later one
// could race with although it does not race with any newer access that is kept. That is one epoch
// as long as accesses are ordered; reads that are not ordered with each other are kept side by
// side. What lies side by side is looked through only where that can come to something: a granule
// knows which kinds of accesses are kept, and since when, and a thread when it last learnt anything
// of others. What was done since then it does not know.
//
// Differs from the paper: exact to the byte (neighbours in a word are different locations, accesses
// may overlap in part), atomic accesses take part (they race with plain ones only), and the clocks
// follow C++20: release sequences go on through read-modify-writes only, fences make relaxed
// atomics synchronise.
//
// Pure: fed with what happened, in the order in which it happened. No system calls, no locks.
#ifndef HEDDLE_TRACE_RACE_DETECTOR_H_
#define HEDDLE_TRACE_RACE_DETECTOR_H_

#include <array>
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
  std::uint32_t event = 0;  // its number in the run, for whoever reports it
  std::uint64_t site = 0;
};

constexpr bool Conflicting(const MemoryAccess& a, const MemoryAccess& b) {
  return (a.is_write || b.is_write) && !(a.is_atomic && b.is_atomic);
}

// Whether everything that conflicts with `old` conflicts with `access` too. Then `old`, when it
// happens before `access`, need not be remembered: who races with it races with `access`.
constexpr bool Covers(const MemoryAccess& access, const MemoryAccess& old) {
  if (access.is_write && !access.is_atomic) return true;
  if (old.is_write && !old.is_atomic) return false;
  if (!old.is_write && old.is_atomic) return true;  // conflicts with plain writes only
  return access.is_write == old.is_write && access.is_atomic == old.is_atomic;
}

// The two as sets of kinds of old accesses, by kind of the new one: asked of every access.
struct OldKinds {
  static constexpr std::size_t kKinds = 4;
  static constexpr std::size_t KindOf(const MemoryAccess& access) {
    return std::size_t{access.is_write} | std::size_t{access.is_atomic} << 1;
  }
  static constexpr std::uint8_t BitOf(const MemoryAccess& access) {
    return static_cast<std::uint8_t>(1u << KindOf(access));
  }

  std::uint8_t conflicting = 0;
  std::uint8_t covered = 0;
};
inline constexpr auto kOldKinds = [] {
  std::array<OldKinds, OldKinds::kKinds> sets{};
  for (std::size_t kind = 0; kind < sets.size(); ++kind) {
    const MemoryAccess access{.is_write = (kind & 1) != 0, .is_atomic = (kind & 2) != 0};
    for (std::size_t at = 0; at < sets.size(); ++at) {
      const MemoryAccess old{.is_write = (at & 1) != 0, .is_atomic = (at & 2) != 0};
      if (Conflicting(old, access)) sets[kind].conflicting |= OldKinds::BitOf(old);
      if (Covers(access, old)) sets[kind].covered |= OldKinds::BitOf(old);
    }
  }
  return sets;
}();

class RaceDetector {
 public:
  // What threads synchronise through: anything that is one thing in a run. Atomic variables are
  // named by AtomicKey.
  using Key = std::uint64_t;
  static Key AtomicKey(std::uint64_t address) { return address; }

  // Another run: all is forgotten, the main thread exists.
  RaceDetector() { Reset(); }
  void Reset();

  void ThreadCreated(ThreadId child, ThreadId parent) {
    if (__builtin_expect(child == known_ && parent < child && child < room_, 1)) {
      ++known_;
      threads_[child].ForgetFences();
    } else {
      Meet(child > parent ? child : parent);
    }
    ThreadState& made = threads_[child];
    ThreadState& by = threads_[parent];
    made.others = by.others;
    made.others.Set(parent, by.now);
    made.now = 1;
    made.creator = parent;
    made.born = ++made.learnt;
    made.learnt_at = touches_;
    ++by.now;
  }
  void ThreadJoined(ThreadId child, ThreadId by) {
    StateOf(child > by ? child : by);
    ThreadState& state = threads_[by];
    const ThreadState& ended = threads_[child];
    // What it was born with its creator knows.
    const bool has_learnt = ended.learnt != ended.born || ended.creator != by;
    if (has_learnt) state.others.Join(ended.others);
    state.others.Raise(child, ended.now);
    Learnt(&state);
  }

  // What was released to `key` happens before what the thread does from now on.
  void Acquire(ThreadId thread, Key key);
  // What the thread did so far is released, to those who acquire `key` later; what others released
  // stays (a semaphore) or is no longer to be had (a mutex, whose owner acquired it).
  void Release(ThreadId thread, Key key);
  void ReleaseOnly(ThreadId thread, Key key);

  // What the thread did so far is released through who knows what: to whoever reads an atomic
  // later.
  void ReleaseUnseen(ThreadId thread);

  void Load(ThreadId thread, Key key, MemoryOrder order) {
    if (atomics_.size() != 0 || !unseen_.empty()) LoadReleased(thread, key, order);
  }
  void Store(ThreadId thread, Key key, MemoryOrder order);
  // The writing half, behind Load: it joins the release sequence that it read from.
  void Modify(ThreadId thread, Key key, MemoryOrder order);
  void Fence(ThreadId thread, MemoryOrder order);

  // The accesses that race with this one; valid until the next call. Of an atomic operation: call
  // it behind Load or between Load and the rest, what it acquires orders it too.
  std::span<const MemoryAccess> Touch(std::uint64_t address, std::uint64_t size,
                                      const MemoryAccess& access) {
    const std::uint64_t first = address & 7;
    if (__builtin_expect(first + size > 8, 0)) return TouchMany(address, size, access);
    return TouchOne(address / 8, MaskOf(first, first + size), access);
  }

  // The memory has a new life.
  void Forget(std::uint64_t address, std::uint64_t size);

  std::uint32_t TimeOf(ThreadId thread) { return StateOf(thread).now; }
  bool HappensBefore(ThreadId thread, std::uint32_t time, ThreadId later) const {
    return Knows(threads_[later], later, thread, time);
  }

 private:
  struct ThreadState {
    VectorClock others;           // how far it knows the others; what is said of itself is outdated
    std::uint32_t now = 0;        // its own time
    std::uint32_t learnt_at = 0;  // touches_ when it last learnt something of others
    std::uint64_t learnt = 0;     // changes whenever it does
    std::uint64_t born = 0;       // `learnt` when it was made
    ThreadId creator = kNoThread;
    VectorClock released;  // at the last release fence: what a relaxed store publishes
    VectorClock acquired;  // by relaxed loads: what an acquire fence takes

    void ForgetFences() {
      released.Clear();
      acquired.Clear();
    }
  };
  // What was released to a key. As long as one thread's clock covers all of it, that is noted:
  // whoever knows that thread up to that time knows it already, and the thread itself need not
  // write the same again. So repeated synchronisation costs the same however many threads there
  // are.
  struct Released {
    VectorClock clock;
    ThreadId by = kNoThread;  // whose clock it is, but for its own time; kNoThread: it is a mixture
    std::uint32_t time = 0;   // of that thread
    std::uint64_t learnt = 0;

    bool empty() const { return by == kNoThread && clock.empty(); }
    void Forget() {
      clock.Clear();
      by = kNoThread;
    }
    // It is to become a mixture.
    VectorClock& Open() {
      if (by != kNoThread) clock.Raise(by, time);
      by = kNoThread;
      return clock;
    }
    void AddTo(VectorClock* to) const {
      to->Join(clock);
      if (by != kNoThread) to->Raise(by, time);
    }
  };
  // An access that is remembered, of some bytes of a granule.
  struct Epoch {
    MemoryAccess access;
    std::uint32_t time = 0;
    std::uint32_t next = 0;     // of the same granule; index + 1
    std::uint32_t touched = 0;  // touches_ then
    std::uint8_t bytes = 0;
    std::uint8_t kind = 0;  // of the access: its bit in a set of kinds
  };
  // Its epochs, and what may be said of them all.
  struct Granule {
    std::uint32_t first = 0;    // epoch; index + 1
    std::uint32_t since = 0;    // none was touched before
    std::uint32_t threads = 0;  // theirs, by BitOfThread, and perhaps more
    std::uint8_t kinds = 0;     // theirs, and perhaps more
  };

  static std::uint32_t BitOfThread(ThreadId thread) { return 1u << (thread & 31); }

  ThreadState& StateOf(ThreadId thread) {
    if (__builtin_expect(thread >= known_, 0)) Meet(thread);
    return threads_[thread];
  }
  // All up to that one are there.
  [[gnu::noinline]] void Meet(ThreadId thread);
  using Syncs = StampedTable<std::uint32_t>;  // key -> index into clocks_; + 1
  Released* Find(Syncs* syncs, Key key) {
    const std::uint32_t* const index = syncs->Find(key);
    return index == nullptr ? nullptr : &clocks_[*index - 1];
  }
  Released& ReleasedTo(Syncs* syncs, Key key);
  // Whether the thread, whose state that is, knows another up to that time.
  static bool Knows(const ThreadState& state, ThreadId self, ThreadId other, std::uint32_t time) {
    return time <= (other == self ? state.now : state.others.Of(other));
  }
  static bool Knows(const ThreadState& state, ThreadId self, const Released& released) {
    return released.by != kNoThread && Knows(state, self, released.by, released.time);
  }
  void Learnt(ThreadState* state) const {
    ++state->learnt;
    state->learnt_at = touches_;
  }
  void Learn(ThreadState* state, const VectorClock& clock) const {
    if (state->others.Join(clock)) Learnt(state);
  }
  void Learn(ThreadId thread, const Released& released);
  void LoadReleased(ThreadId thread, Key key, MemoryOrder order);
  static void Publish(ThreadId thread, const ThreadState& state, Released* released);
  static void Add(ThreadId thread, const ThreadState& state, Released* released);

  // The bytes of a granule from `first` up to `end`.
  static std::uint8_t MaskOf(std::uint64_t first, std::uint64_t end) {
    return static_cast<std::uint8_t>((0xffu << first) & ((1u << end) - 1));
  }
  std::span<const MemoryAccess> TouchOne(std::uint64_t granule, std::uint8_t bytes,
                                         const MemoryAccess& access) {
    const ThreadState& self = StateOf(access.thread);
    Granule& memory = granules_.At(granule);
    if (CanMatter(memory, self, access)) return LookThrough(&memory, bytes, access);
    Remember(&memory, self, bytes, access);
    return {};
  }
  // Whether the access may race with what is kept, or take the place of some of it.
  static bool CanMatter(const Granule& memory, const ThreadState& self,
                        const MemoryAccess& access) {
    const OldKinds sets = kOldKinds[OldKinds::KindOf(access)];
    if ((memory.kinds & sets.conflicting) != 0) return true;
    if ((memory.kinds & sets.covered) == 0) return false;
    return memory.since <= self.learnt_at || (memory.threads & BitOfThread(access.thread)) != 0;
  }
  void Remember(Granule* memory, const ThreadState& self, std::uint8_t bytes,
                const MemoryAccess& access) {
    std::uint32_t fresh = free_epochs_;
    if (fresh != 0) {
      free_epochs_ = epochs_[fresh - 1].next;
    } else {
      if (__builtin_expect(epochs_used_ == epochs_room_, 0)) MakeRoomForEpochs();
      fresh = ++epochs_used_;
    }
    Epoch& epoch = epochs_[fresh - 1];
    epoch.next = memory->first;
    memory->first = fresh;
    Fill(&epoch, self, bytes, access);
    if (epoch.next == 0) memory->since = touches_;
    memory->threads |= BitOfThread(access.thread);
    memory->kinds |= epoch.kind;
  }
  void Fill(Epoch* epoch, const ThreadState& self, std::uint8_t bytes, const MemoryAccess& access) {
    if (__builtin_expect(touches_ != kMostTouches, 1)) ++touches_;
    epoch->access = access;
    epoch->time = self.now;
    epoch->touched = touches_;
    epoch->bytes = bytes;
    epoch->kind = OldKinds::BitOf(access);
  }
  [[gnu::noinline]] void MakeRoomForEpochs();
  [[gnu::noinline]] std::span<const MemoryAccess> LookThrough(Granule* memory, std::uint8_t bytes,
                                                              const MemoryAccess& access);
  void LookThroughMore(Granule* memory, std::uint8_t bytes, const MemoryAccess& access);
  std::span<const MemoryAccess> TouchMany(std::uint64_t address, std::uint64_t size,
                                          const MemoryAccess& access);

  std::vector<ThreadState> threads_;  // the first known_ are this run's
  std::size_t known_ = 0;
  std::size_t room_ = 0;            // their number
  Syncs syncs_;                     // locks and the like
  Syncs atomics_;                   // by address
  StampedTable<Granule> granules_;  // by address / 8
  VectorClock unseen_;              // released by means that are not seen
  std::vector<Released> clocks_;
  std::size_t clocks_used_ = 0;
  static constexpr std::uint32_t kMostTouches = ~std::uint32_t{0};
  std::uint32_t touches_ = 0;  // as far as they are counted
  std::vector<Epoch> epochs_;  // the first epochs_used_ are in use, or free
  std::uint32_t epochs_used_ = 0;
  std::uint32_t epochs_room_ = 0;  // their number
  std::uint32_t free_epochs_ = 0;
  std::vector<MemoryAccess> racing_;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_RACE_DETECTOR_H_
