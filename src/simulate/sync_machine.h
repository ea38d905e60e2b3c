// Programs of src/reach under any Policy, in memory: the records are those that the runtime leaves
// of the same program written with <heddle/sync.h>.
//
// So the strategies themselves can be compared with the brute force of src/reach, which shares
// nothing with this machine but the program. What threads do between two operations is invisible.
#ifndef HEDDLE_SIMULATE_SYNC_MACHINE_H_
#define HEDDLE_SIMULATE_SYNC_MACHINE_H_

#include <cstdint>
#include <deque>
#include <set>
#include <string_view>
#include <vector>

#include "reach/machine.h"
#include "reach/program.h"
#include "strategy/strategy.h"
#include "trace/run_trace.h"

namespace heddle::simulate {

// Reusable: one SyncMachine makes many runs, one at a time.
class SyncMachine final : EventCounts {
 public:
  // The program must outlive the machine and have at most 64 threads.
  explicit SyncMachine(const reach::Program* program);
  // The views of Trace() point into the machine.
  SyncMachine(const SyncMachine&) = delete;
  SyncMachine& operator=(const SyncMachine&) = delete;

  const RunRecord& Run(const Plan& plan, Policy& policy);

  // Of the last run; valid until the next one.
  RunTrace Trace() const;
  reach::FinalState Final() const;

 private:
  std::uint64_t EventsOf(ThreadId thread) const override;
  using Index = reach::Index;

  enum class Status : std::uint8_t { kLive, kEnded, kFailed };
  struct Thread {
    Index pc = 0;
    Status status = Status::kLive;
    bool granted = false;       // SC: signalled; SU: the monitor is its own
    bool received = false;      // its synchronous message
    bool reenters = false;      // its kEnter is the end of a wait
    std::size_t to_notify = 0;  // of a signal that is under way
    Index heir = reach::kNone;  // ... whom an SU monitor goes to
    std::vector<Index> open;    // ports of the receive it stands at
  };
  struct Message {
    Index sender = 0;
    std::uint32_t step = 0;
    int value = 0;
    bool sent = false;  // a bounded port keeps a place for it before
  };
  struct ObjectState {
    int value = 0;  // semaphore
    Index owner = reach::kNone;
    int depth = 0;
    std::deque<Index> reentry;
    std::deque<Message> messages;
  };
  struct Candidate {
    Index port = 0;
    std::size_t message = 0;
  };

  void Reset(std::uint64_t run);
  // Runs what is invisible, up to the thread's next operation.
  void Advance(Index thread);
  void Announce(Index thread);
  void SetPending(Index thread, OpKind kind, Index object, bool all_ports = false);
  void Fail(Index thread);
  void End(Index thread) { threads_[thread].status = Status::kEnded; }
  bool CanGoOn(Index thread) const;
  bool Choose(const Plan& plan, Policy& policy, Index* thread);
  bool Ask(const Decision& decision, const Plan& plan, Policy& policy, std::size_t* chosen);
  void Execute(Index thread, const Plan& plan, Policy& policy);
  bool Receive(Index thread, const Plan& plan, Policy& policy);
  void Notify(Index thread, Event& event);
  void Leave(Index monitor);
  void Record(const Event& event);
  std::vector<Candidate> CandidatesOf(Index thread) const;
  bool Holds(const reach::Guard& guard) const;
  int ValueOf(const reach::Operand& operand) const;
  ObjectId IdOf(Index object);
  const reach::Instruction& At(Index thread) const {
    return program_->threads[thread][threads_[thread].pc];
  }

  const reach::Program* program_;
  std::vector<Thread> threads_;
  std::vector<ObjectState> objects_;
  std::vector<std::deque<Index>> conditions_;
  std::vector<int> variables_;

  std::vector<PendingOp> pending_;
  std::vector<Option> options_;
  std::vector<ObjectId> ids_;
  std::vector<ObjectRecord> object_records_;
  std::vector<ThreadRecord> thread_records_;
  std::vector<DecisionRecord> decisions_;
  std::vector<Event> events_;
  std::uint64_t live_ = 0, enabled_ = 0;
  std::size_t answered_ = 0;
  Index current_ = reach::kNone;
  bool over_ = false;
  RunView view_;
  RunRecord record_;
  Policy* watcher_ = nullptr;
};

// All final states that a strategy's search of the program ends in.
struct SyncStates {
  std::set<reach::FinalState> states;
  std::uint64_t runs = 0;
  std::uint64_t blocked = 0;  // of the runs: abandoned, or redundant when they were learnt
  bool complete = false;
};
SyncStates StatesBy(std::string_view strategy, const reach::Program& program,
                    std::uint64_t most_runs);

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_SYNC_MACHINE_H_
