// The abstract machine: runs a Program under any Policy, in memory, and leaves the records that the
// real runtime leaves.
//
// The same questions in the same form: a Decision where two or more threads can go on or two or
// more waiters can be woken, none where there is no choice. A thread that waits with a time-out is
// an option too, as under --timeouts=any. Operations that can't branch (create, join) run as soon
// as they can, without a question. Thread and object ids are handed out in the order of first
// appearance, as in the runtime, so that a strategy can't come to rely on more.
#ifndef HEDDLE_SIMULATE_MACHINE_H_
#define HEDDLE_SIMULATE_MACHINE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "simulate/program.h"
#include "strategy/strategy.h"
#include "trace/class_hash.h"
#include "trace/expected_value.h"
#include "trace/pair_coverage.h"
#include "trace/run_trace.h"

namespace heddle::simulate {

struct MachineOptions {
  // An assertion ends the run where it fails; otherwise it is noted and the run goes on, so that
  // its class is that of all its events.
  bool stop_at_failure = true;
  bool keep_records = true;  // decisions and events, for Trace(); a run is faster without
  bool cover = false;        // fill in Coverage()
  std::uint64_t max_steps = 100'000;
};

// Reusable: one Machine makes many runs, one at a time, and allocates only until it is warm. The
// Policy may be reused too: Begin starts it afresh.
class Machine final : EventCounts {
 public:
  explicit Machine(const Program& program, const MachineOptions& options = {});
  // The views of Trace() point into the machine.
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const RunRecord& Run(const Plan& plan, Policy& policy);

  // Of the last run; valid until the next one. Events and decisions only with keep_records.
  RunTrace Trace() const;

  // Of the last run; empty without `cover`.
  const PairCoverage& Coverage() const { return coverage_; }

  // Value of an object at the end of the last run.
  std::int64_t ValueOf(Object object) const { return objects_[object].value; }

 private:
  std::uint64_t EventsOf(ThreadId id) const override { return threads_[id].executed; }
  // A step as it is announced and entered every time: looked up once, not once per run.
  struct Instruction {
    PendingOp op;  // its object is a number of the run's, filled in when it is announced
    Object object = 0;
    // An access to a variable that no register chooses: it never waits and concerns nobody else.
    bool is_access = false;
    std::uint64_t name = 0;  // for the event hash
  };
  struct Thread {
    const Step* code = nullptr;
    const Instruction* instructions = nullptr;
    std::uint32_t length = 0;
    std::uint32_t pc = 0;
    std::uint32_t executed = 0;  // events
    std::uint16_t children = 0;
    std::uint16_t program_thread = 0;
    bool waking = false;   // has waited and has its mutex to lock again
    bool gave_up = false;  // ... because its wait timed out
    std::uint64_t path = 0;
    std::int64_t registers[kRegisters] = {};
  };
  struct ObjectState {
    std::int64_t value = 0;
    std::uint64_t waiters = 0;  // of a condition: threads not yet woken
    ObjectOrder order;
    ObjectId id = kNoObject;  // kNoObject: not seen in this run
    bool held = false;
  };
  // What is drawn up afresh for every run beside the arrays.
  struct RunState {
    std::uint64_t live = 0;
    std::uint64_t enabled = 0;
    std::uint64_t blocking = 0;  // live threads whose operation may have to wait
    std::uint64_t timed = 0;     // those of them whose wait may time out
    std::uint64_t eager = 0;     // live threads whose operation runs without a question
    std::uint64_t special = 0;   // all in one of these three
    std::uint64_t ended = 0;     // by program thread
    std::uint32_t thread_count = 0;
    std::uint32_t object_count = 1;  // ids handed out, [0] included
    std::size_t answered = 0;        // decisions
    ThreadId current = kNoThread;
    bool over = false;
    ClassHash classes;
  };
  // What every run begins with.
  struct Beginning {
    RunState run;
    std::vector<Thread> threads;
    std::vector<PendingOp> pending;
    std::vector<ObjectState> objects;
  };

  void Compile();
  void Begin();
  void Reset(std::uint64_t run);
  void AddThread(std::uint16_t program_thread, std::uint64_t path, ThreadId parent,
                 std::uint16_t nth_child);
  void Announce(ThreadId id);
  void AnnounceAny(ThreadId id);
  bool CanGoOn(ThreadId id) const;
  void RefreshEnabled();
  std::size_t Ask(const Decision& decision, const Plan& plan, Policy& policy);
  void Record(const Decision& decision, std::size_t chosen, bool current_enabled);
  void Offer(std::uint64_t options);
  ThreadId Choose(const Plan& plan, Policy& policy);
  struct Done {
    Object object = 0;       // that was touched
    std::uint32_t next = 0;  // step of the thread
  };
  // Carries out the thread's operation.
  Done Act(ThreadId id, Event* event);
  // ... and, once it is recorded, what it does to other threads; returns the one that it names.
  ThreadId Concern(ThreadId id, const Plan& plan, Policy& policy);
  // Goes by the value of what the step has read.
  void Branch(const Step& step, ThreadId id, std::int64_t read, std::uint32_t* next) {
    if (Holds(step.condition, read, step.operand)) return;
    if (step.asserts) Fail(id);
    *next += static_cast<std::uint32_t>(static_cast<std::int32_t>(step.skip));
  }
  static std::int64_t ValueIn(const Thread& thread, const Value& value) {
    std::int64_t sum = value.constant;
    if (value.first >= 0) sum += thread.registers[value.first];
    if (value.second >= 0) sum += thread.registers[value.second];
    return sum;
  }
  // A compare-exchange; returns whether it did.
  static std::int64_t Compare(const Step& step, const Thread& thread, std::int64_t desired,
                              Event* event, std::int64_t* stored) {
    const std::int64_t expected = ValueIn(thread, step.expected);
    event->other = FoldedValue(static_cast<std::uint64_t>(expected));
    const bool does = *stored == expected;
    if (does) {
      *stored = desired;
    } else {
      event->flags |= Event::kFailed;
    }
    return does ? 1 : 0;
  }
  // How the event touched its object.
  static AccessMode AccessBy(const Event& event) {
    const bool failed = (event.flags & (Event::kFailed | Event::kTimedOut)) != 0;
    return failed ? FailedAccessOf(event.kind) : AccessOf(event.kind);
  }
  // Reads and writes a variable; returns what it read.
  std::int64_t Access(const Step& step, Thread& thread, Object object, Event* event) {
    const std::int64_t value = ValueIn(thread, step.value);
    std::int64_t& stored = objects_[object].value;
    std::int64_t read = stored;
    if (step.kind == OpKind::kAtomicStore) stored = value;
    if (step.kind == OpKind::kAtomicRmw && !step.compares) stored += value;
    event->value = static_cast<std::uint64_t>(step.kind == OpKind::kAtomicStore ? value : read);
    if (step.compares) read = Compare(step, thread, value, event, &stored);
    event->flags |= Event::kHasValue;
    if (step.into >= 0) thread.registers[step.into] = read;
    return read;
  }
  // What can be done at a channel now, as it is noted (trace/channel_use.h).
  std::uint8_t NotedAt(Object channel) const;
  void Fail(ThreadId id);
  void LetTimePass(const Step& step);
  // The event that was counted last.
  bool Watches(const Policy& policy) const {
    return watches_ && record_.events > policy.watches_from();
  }
  void Execute(ThreadId id, const Plan& plan, Policy& policy);
  [[gnu::always_inline]] void ExecuteAccess(ThreadId id, Policy& policy);
  [[gnu::always_inline]] void Enter(Thread& thread, std::uint64_t what) {
    record_.event_hash = (record_.event_hash ^ (thread.path + what)) * 0x9fb21c651e98df25ull;
    record_.event_hash ^= record_.event_hash >> 29;
    ++thread.executed;
    ++record_.events;
  }
  void Wake(Object condition, ThreadId waker, ThreadId id);
  ThreadId Signal(Object condition, ThreadId signaller, const Plan& plan, Policy& policy);
  [[gnu::always_inline]] void Order(const Thread& thread, OpKind kind, AccessMode access,
                                    Object object) {
    const std::uint64_t identity = EventIdentity(thread.path, thread.executed);
    ObjectOrder& order = objects_[object].order;
    if (options_.cover) coverage_.Add(identity, kind, order);
    run_.classes.Add(identity, kind, access, keys_[object], order);
  }
  ObjectId IdOf(Object object) {
    HEDDLE_CHECK(object < object_count_);
    ObjectId& id = objects_[object].id;
    if (id == kNoObject) {
      id = run_.object_count++;
      object_records_[id].key = keys_[object];
      object_records_[id].kind = kinds_[object];
    }
    return id;
  }
  void Finish(RunOutcome outcome, FailureKind failure);

  const Program program_;
  const MachineOptions options_;
  const std::uint64_t initial_threads_;
  const std::size_t object_count_;
  std::vector<ObjectKind> kinds_;  // by object

  std::array<Thread, kMaxSimulatedThreads> threads_;
  std::array<PendingOp, kMaxSimulatedThreads> pending_;
  std::array<ThreadRecord, kMaxSimulatedThreads> thread_records_;
  std::array<Option, kMaxSimulatedThreads> choices_;  // of threads, for offered_ as it is
  std::array<Option, kMaxSimulatedThreads> waiter_choices_;
  std::array<ThreadId, kMaxSimulatedThreads> id_of_;  // by program thread

  std::vector<std::vector<Instruction>> instructions_;  // by program thread
  Beginning beginning_;
  std::vector<std::uint64_t> keys_;
  std::vector<ObjectState> objects_;
  std::vector<ObjectRecord> object_records_;  // by ObjectId

  // What choices_ was made of; it is the same for most questions of a run.
  struct Offered {
    std::uint64_t enabled = 0;
    std::uint64_t timed = 0;
    std::size_t count = 0;
  };
  Offered offered_;

  std::vector<DecisionRecord> decisions_;
  std::vector<Event> events_;

  PairCoverage coverage_;
  RunState run_;
  RunView view_;
  RunRecord record_;
  Failure failure_;
  bool watches_ = false;
};

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_MACHINE_H_
