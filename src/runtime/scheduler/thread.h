// An application thread as the scheduler sees it.
#ifndef HEDDLE_RUNTIME_SCHEDULER_THREAD_H_
#define HEDDLE_RUNTIME_SCHEDULER_THREAD_H_

#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "model/pending_signals.h"
#include "runtime/hooks/abi.h"
#include "runtime/scheduler/loops.h"
#include "runtime/scheduler/object.h"
#include "runtime/scheduler/spin.h"
#include "runtime/switch/context.h"
#include "runtime/switch/shell.h"
#include "trace/decision.h"

namespace heddle {

struct ThreadLocalDestructor {
  void (*function)(void*);
  void* object;
};

// A stack that the program itself switches to (see interpose/user_fiber.cc).
struct UserFiber {
  std::uint64_t* calls;
  std::uint64_t call_depth;
};

// What pthread_cancel and its relatives set.
struct Cancellation {
  bool is_requested = false;
  bool is_enabled = true;
  bool is_async = false;
  bool is_acted_on = false;
};

// How an operation ends that a signal or a cancellation interrupted. It is never an option (there
// is no other way then), so no policy and no file knows it.
inline constexpr Outcome kInterrupted = static_cast<Outcome>(2);

// A sigset_t without the 960 bits that no signal has.
struct SignalMask {
  std::uint64_t bits = 0;

  SignalMask() = default;
  SignalMask(const sigset_t& set) : bits(set.__val[0]) {}  // NOLINT(google-explicit-constructor)
  operator sigset_t() const {                              // NOLINT(google-explicit-constructor)
    sigset_t set = {};
    set.__val[0] = bits;
    return set;
  }
  bool Has(int signal) const { return (bits >> (signal - 1) & 1) != 0; }
};

// Whether a thread that waits is to stop waiting, and where.
enum class Interruption : std::uint8_t { kNone, kWhereInterruptible, kAnywhere };

// What has to be done when a thread ends, and what is done with it until then. Few threads have
// any.
struct AtThreadEnd {
  std::vector<ThreadLocalDestructor> destructors;
  std::vector<void*> specific;  // by key
  std::vector<void*>
      native_specific;  // by key from before heddle took over; not of the main thread
  std::vector<Object*> robust_mutexes;  // that it holds
};

// Made anew for every thread of every run: what is small lies together, so that it is set together.
struct Thread {
  ThreadId id = kNoThread;
  ThreadId parent = kNoThread;
  std::uint16_t nth_child = 0;
  std::uint16_t children = 0;
  std::uint64_t path_hash = 0;
  Shell* shell = nullptr;
  Object* object = nullptr;  // itself, for create, exit and join

  // Life.
  void* (*routine)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  std::uint64_t create_site = 0;
  FloatControl float_control;  // to begin with
  bool started = false;
  bool detached = false;
  bool ended = false;
  bool left_behind = false;  // it failed, and the others went on
  bool joined = false;
  ThreadId joiner = kNoThread;  // who waits for its end

  // What it waits for.
  bool woken = false;                        // from a condition or a futex
  bool woke_for_nothing = false;             // ... once in this run (--spurious-wakeups)
  MutexKind lock_kind = MutexKind::kNormal;  // of the mutex it is about to take
  Outcome granted = Outcome::kNormal;
  bool hears_outside = false;     // somebody outside the program may make descriptors ready
  bool is_interruptible = false;  // what it announced
  bool changed_nothing = false;   // its last read-modify-write left the value that it found
  bool is_attending = false;      // it runs a handler while it is in a queue
  Object* blocked_on = nullptr;   // its place in that object's `pending` list
  Thread* next_pending = nullptr;
  Thread* previous_pending = nullptr;
  int (*ready)(const void*) = nullptr;  // of an operation that brings its own condition
  const void* ready_argument = nullptr;
  bool (*io_ready)(void*) = nullptr;  // of descriptors (interpose/io_wait.h); nullptr: it is
  void* io_argument = nullptr;
  Object* relock = nullptr;           // mutex to take again after a wait
  std::uint64_t deadline = 0;         // virtual nanoseconds
  const Event* last_event = nullptr;  // not yet told to `spin`
  Object* last_object = nullptr;
  std::uint64_t value_before = 0;      // of its read-modify-write that is under way
  std::uint16_t expected = kNoThread;  // ... of a compare-exchange (trace/expected_value.h)

  // Loops.
  Rounds* rounds = nullptr;   // in those that are known; nullptr: it came to none
  std::uint64_t unseen = 0;   // hash of all memory when it had gone round some times
  bool is_still = false;      // ... and so did it often enough
  bool awaits = false;        // its loop can't end before a value changes
  bool stands = false;        // ... and it does not go on in this run (scheduler/loops.h)
  bool goes_round = false;    // ... and it goes on nevertheless (scheduler/rehearsal.h)
  bool never_awaits = false;  // its loops have progress that can't be seen
  bool has_awaited = false;   // ... and it went on: to be noted in the event

  // What reaches it from other threads.
  bool needs_attention = false;  // at its next operation: handlers, asynchronous cancellation
  Interruption interruption = Interruption::kNone;
  SignalMask signal_mask;                     // its creator's at first
  __pthread_unwind_buf_t* cleanup = nullptr;  // clean-up handlers of C, innermost first
  PendingSignals signals;

  // A timer's thread, and whom its last signal went to: it does not starve that one
  // (interpose/signal_timers.cc).
  ThreadId paced_by = kNoThread;
  std::uint16_t handlers = 0;  // that it is in
  std::uint64_t events_at_handlers_end = 0;

  // Counters that name things.
  std::uint64_t allocations = 0;
  std::uint64_t events = 0;
  std::uint64_t events_at_clock_read = 0;
  std::uint64_t clock_polls = 0;
  bool reads_clock = false;     // while there were others
  bool lets_time_pass = false;  // it has slept, or had to wait with a time limit

  // Call sites, for contexts; the hooks write the running thread's.
  std::uint64_t* calls = nullptr;
  std::uint64_t* ring = nullptr;  // its own; `calls` may be a user-level stack's
  std::uint64_t call_depth = 0;
  UserFiber* fiber = nullptr;

  std::unique_ptr<AtThreadEnd> at_end;  // nullptr: nothing is to be done then
  char name[16] = {};
  Cancellation cancel;
  sigset_t awaited_signals;  // by sigwait, while that is its operation
  Spin spin;

  // Its plain writes are to be told, whatever they touch.
  bool is_watched() const { return spin.is_watched() || (rounds != nullptr && rounds->any()); }

  AtThreadEnd& AtEnd() {
    if (at_end == nullptr) at_end = std::make_unique<AtThreadEnd>();
    return *at_end;
  }
};

// What the threads of a run have announced, by id; in the memory of the process, likewise.
class PendingTable {
 public:
  PendingOp& operator[](std::size_t id) { return first_[id]; }
  const PendingOp& operator[](std::size_t id) const { return first_[id]; }
  std::size_t size() const { return count_; }
  const PendingOp* begin() const { return first_; }
  const PendingOp* end() const { return first_ + count_; }
  void Add() { first_[count_++] = PendingOp(); }

 private:
  static PendingOp all_[kMaxThreads];

  PendingOp* first_ = all_;
  std::size_t count_ = 0;
};

// The threads of a run, by id. The memory of a thread is that of the one with its id in the run
// before, in the same process.
class ThreadTable {
 public:
  Thread* operator[](std::size_t id) const { return all_[id]; }
  std::size_t size() const { return count_; }
  Thread* const* begin() const { return all_; }
  Thread* const* end() const { return all_ + count_; }
  // The next one, as good as new.
  Thread* Add();

 private:
  static Thread* all_[kMaxThreads];  // of all runs

  std::size_t count_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_THREAD_H_
