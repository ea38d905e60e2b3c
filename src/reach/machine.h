// Executes abstract programs, one step at a time: whoever drives it chooses among the enabled
// steps.
//
// A step is either local (a thread executes its next instruction, up to and including the call of
// an operation) or a completion (an owner takes one of the sends made to it). Local steps of
// different threads commute, so that only completions are choices; the brute force does not believe
// that.
#ifndef HEDDLE_REACH_MACHINE_H_
#define HEDDLE_REACH_MACHINE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "reach/program.h"
#include "reach/sequence.h"

namespace heddle::reach {

struct Step {
  bool local = false;
  Index who = 0;       // thread, or owner of a completion
  SendName send = {};  // that the owner takes
};

enum class ThreadStatus : std::uint8_t {
  kReady,      // a local step is next
  kCalling,    // has called and waits for completion
  kReceiving,  // waits for a message
  kQueued,     // waits on a condition, or to re-enter an SU monitor
  kEnded,
  kFailed,  // misuse: unlocked what it does not own, all guards closed, signalled from outside
};

// How a run ended.
struct FinalState {
  bool failed = false;       // a thread ended by misuse
  std::vector<Index> stuck;  // threads that wait for ever
  std::vector<int> variables;

  bool deadlocked() const { return !stuck.empty(); }
  friend auto operator<=>(const FinalState&, const FinalState&) = default;
};

class Machine {
 public:
  // `record` may be null. Both must outlive the machine.
  Machine(const Program* program, Sequence* record);

  // The steps that can be done now. `local` first, by thread; completions by owner, in order of
  // arrival.
  void EnabledLocal(std::vector<Step>& steps) const;
  void EnabledCompletions(std::vector<Step>& steps) const;
  void Do(const Step& step);
  // Does all local steps there are, thread by thread.
  void RunLocal();

  ThreadStatus StatusOf(Index thread) const { return threads_[thread].status; }
  FinalState Final() const;  // only after nothing is enabled
  // By owner, its partners in order.
  const std::vector<std::vector<SendName>>& received() const { return received_; }
  const std::vector<int>& variables() const { return variables_; }
  // Every bit of state, in a form in which equal states are equal strings.
  std::string StateText() const;

 private:
  struct ThreadState {
    Index pc = 0;
    Index sends = 0;
    ThreadStatus status = ThreadStatus::kReady;
  };
  struct Pending {
    SendName name;
    Index object = 0;
    Operation operation = Operation::kP;
    int value = 0;
    Index record = kNone;  // send in the sequence
  };
  struct ObjectState {
    int value = 0;         // semaphore; free room of a bounded port
    Index inside = kNone;  // owner of a lock or monitor
    int depth = 0;
    std::deque<Index> reentry;
    std::vector<Index> releases;  // receives that made room, in the record
    Index admitted = 0;
  };

  void RunOne(Index thread);
  void Call(Index thread, Index object, Operation operation, int value = 0);
  void Deliver(Index thread, Index port, Operation operation, Order order, int value);
  void Complete(Index owner, std::size_t index);
  void Take(Index owner, const Pending& pending);
  void ReceiveBy(Index receiver, const Pending& pending);
  void Leave(Index monitor);
  void Resume(Index thread, Index monitor);
  void CallAgain(Index condition);
  void Inform(Index monitor, Index thread);
  bool RequireInside(Index thread, Index monitor);
  bool IsOpen(Index owner, const Pending& pending) const;
  void OpenList(Index owner, std::vector<Open>& open) const;
  bool Holds(const Guard& guard) const;
  int ValueOf(const Operand& operand) const;

  const Program* program_;
  Sequence* record_;
  std::vector<ThreadState> threads_;
  std::vector<ObjectState> objects_;
  std::vector<std::deque<Index>> conditions_;
  std::vector<int> variables_;
  std::vector<std::vector<Pending>> pending_;  // by owner, in order of arrival
  std::vector<std::vector<SendName>> received_;
  mutable std::vector<Open> open_;  // scratch
};

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_MACHINE_H_
