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

#include "simulate/program.h"
#include "strategy/strategy.h"
#include "trace/class_hash.h"
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
class Machine {
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
  std::int64_t ValueOf(Object object) const { return values_[object]; }

 private:
  struct Thread {
    const Step* code = nullptr;
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

  void Reset(std::uint64_t run);
  void AddThread(std::uint16_t program_thread, std::uint64_t path, ThreadId parent,
                 std::uint16_t nth_child);
  void Announce(ThreadId id);
  bool CanGoOn(ThreadId id) const;
  void RefreshEnabled();
  std::size_t Ask(const Decision& decision, const Plan& plan, Policy& policy);
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
  void Branch(const Step& step, ThreadId id, std::int64_t read, std::uint32_t* next);
  void Execute(ThreadId id, const Plan& plan, Policy& policy);
  void Wake(Object condition, ThreadId waker, ThreadId id);
  ThreadId Signal(Object condition, ThreadId signaller, const Plan& plan, Policy& policy);
  void Order(const Thread& thread, OpKind kind, AccessMode access, Object object) {
    const std::uint64_t identity = EventIdentity(thread.path, thread.executed);
    if (options_.cover) coverage_.Add(identity, kind, orders_[object]);
    run_.classes.Add(identity, kind, access, keys_[object], orders_[object]);
  }
  ObjectId IdOf(Object object);
  void Finish(RunOutcome outcome, FailureKind failure);

  const Program program_;
  const MachineOptions options_;
  const std::uint64_t initial_threads_;
  const std::size_t object_count_;

  std::array<Thread, kMaxSimulatedThreads> threads_;
  std::array<PendingOp, kMaxSimulatedThreads> pending_;
  std::array<ThreadRecord, kMaxSimulatedThreads> thread_records_;
  std::array<Option, kMaxSimulatedThreads> choices_;
  std::array<ThreadId, kMaxSimulatedThreads> id_of_;  // by program thread

  std::vector<std::int64_t> initial_;
  std::vector<std::int64_t> values_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint8_t> held_;
  std::vector<std::uint64_t> waiters_;  // by condition: threads not yet woken
  std::vector<ObjectOrder> orders_;
  std::vector<ObjectId> ids_;  // by object; 0 = not seen in this run
  std::vector<ObjectRecord> objects_;

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
