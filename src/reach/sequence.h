// A SYN-sequence: the sending and receiving events of one run, in the general model of section 3.6
// of Carver and Lei, "A General Model for Reachability Testing of Concurrent Programs" (the paper,
// in this folder).
//
// A thread *sends* when it calls P, V, lock, unlock, a monitor's entry, or sends a message. An
// *owner* (a semaphore, a lock, a monitor, a bounded port, a receiving thread) *receives* when it
// completes one of the sends made to it. The receives of an owner are totally ordered, and two runs
// exercise the same SYN-sequence exactly if every owner receives the same sends in the same order.
#ifndef HEDDLE_REACH_SEQUENCE_H_
#define HEDDLE_REACH_SEQUENCE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::reach {

using Index = std::uint32_t;
inline constexpr Index kNone = 0xffffffff;

// What a send asks its destination for.
enum class Operation : std::uint8_t { kP, kV, kLock, kUnlock, kEnter, kSend, kPut, kTouch, kWake };
const char* NameOf(Operation operation);

// In which order the messages of a port can be received.
enum class Order : std::uint8_t {
  kNone,       // the sender waits for completion, so at most one of its sends is open
  kPerSender,  // asynchronous: messages of one sender to one port in the order sent
  kPerPort,    // bounded: all messages to one port in the order admitted
};

// Descriptor (T, O, op, i) of a sending event.
struct Send {
  Index thread = 0;
  Index number = 0;  // i: the thread's sends, from 0
  Index object = 0;  // O: the destination as the program names it (a port, a semaphore)
  Index owner = 0;   // where it is received; kNone: nobody ever receives from this port
  Operation operation = Operation::kP;
  Order order = Order::kNone;
  Index partner = kNone;  // the receive that took it
};

// One operation that an owner could have completed.
struct Open {
  Index object = 0;
  Operation operation = Operation::kP;
  Index thread = kNone;  // only this thread may (a lock that is owned); kNone: any

  friend bool operator==(const Open&, const Open&) = default;
};

// Descriptor (D, L, i) of a receiving event.
struct Receive {
  Index owner = 0;                       // D
  Index number = 0;                      // i: the owner's receives, from 0
  Index partner = 0;                     // the send it took
  Index open_first = 0, open_count = 0;  // L, in the sequence's list of open operations
  // The receive happens before whatever has seen `tick` in this slot of its clock (its own partner
  // excepted).
  Index slot = 0;
  Index tick = 0;
};

// A send by a name that is the same in every run.
struct SendName {
  Index thread = 0;
  Index number = 0;

  friend auto operator<=>(const SendName&, const SendName&) = default;
};

// How happened-before is kept (section 4.1). Both give the same relation wherever one of the two
// events is a receive, which is all that race analysis asks.
enum class Scheme : std::uint8_t {
  kThreadCentric,  // one slot per thread
  kObjectCentric,  // one slot per owner
};

// The paper's advice: the scheme with the fewer slots.
inline Scheme SmallerScheme(Index threads, Index owners) {
  return threads < owners ? Scheme::kThreadCentric : Scheme::kObjectCentric;
}

struct Shape {
  Index threads = 0;
  Index owners = 0;
  Scheme scheme = Scheme::kObjectCentric;
};

// Records a run and answers what happened before what. Whoever executes the run reports every send
// and receive as it happens and, between them, who learns from whom; afterwards the sequence is
// read-only. Reset makes it fit for the next run and keeps the memory.
class Sequence {
 public:
  void Reset(const Shape& shape);
  const Shape& shape() const { return shape_; }

  // --- recording

  Index AddSend(Index thread, Index object, Index owner, Operation operation, Order order);
  // `receiver`: the thread that receives, for ports; kNone where the owner is an object.
  Index AddReceive(Index owner, Index send, std::span<const Open> open, Index receiver);
  // "Learns" merges clocks: the dashed arrows of the paper's diagrams.
  void ThreadLearnsOwner(Index thread, Index owner);
  void OwnerLearnsThread(Index owner, Index thread);
  void ThreadLearnsThread(Index thread, Index from);
  void OwnerLearnsReceive(Index owner, Index receive);
  // For what is no event of the sequence, in the thread-centric scheme only: a new tick of the
  // thread, and what a thread has seen of another's.
  Index Tick(Index thread) { return ++Row(thread_clocks_, thread)[thread]; }
  Index Seen(Index thread, Index of) const { return Row(thread_clocks_, thread)[of]; }

  // --- reading

  std::span<const Send> sends() const { return sends_; }
  std::span<const Receive> receives() const { return receives_; }  // a linear extension
  std::span<const Index> ReceivesOf(Index owner) const { return by_owner_[owner]; }
  std::span<const Index> SendsOf(Index thread) const { return by_thread_[thread]; }
  std::span<const Open> OpenListOf(const Receive& receive) const {
    return std::span(open_).subspan(receive.open_first, receive.open_count);
  }
  SendName NameOfSend(Index send) const { return {sends_[send].thread, sends_[send].number}; }
  bool IsOpenAt(const Send& send, const Receive& receive) const;

  // receive -> send, receive -> receive: a path in the space-time diagram.
  bool PrecedesSend(Index receive, Index send) const;
  bool PrecedesReceive(Index receive, Index later) const;
  // The receive is part of what `later`'s owner was just before `later`: a path only through the
  // sending partner of `later` does not count.
  bool InPrimeOf(Index receive, Index later) const;
  // The receive precedes the owner's state at the end of the run.
  bool PrecedesOwner(Index receive, Index owner) const;
  // How many receives of each owner precede the owner's state before `receive`, or `send`: raises
  // `counts` to at least that.
  void RaiseToPast(Index receive, Index send, std::vector<Index>& counts) const;

  std::span<const Index> TimestampOfSend(Index send) const { return Row(send_clocks_, send); }
  std::span<const Index> TimestampOfReceive(Index receive) const {
    return Row(receive_clocks_, receive);
  }

  // Identity: for each owner, its partners in order. Equal for equal SYN-sequences only.
  std::vector<Index> Identity() const;

 private:
  using Clocks = std::vector<Index>;  // rows of `slots_` numbers

  std::span<const Index> Row(const Clocks& clocks, Index row) const {
    return std::span(clocks).subspan(static_cast<std::size_t>(row) * slots_, slots_);
  }
  std::span<Index> Row(Clocks& clocks, Index row) const {
    return std::span(clocks).subspan(static_cast<std::size_t>(row) * slots_, slots_);
  }
  void Append(Clocks& clocks, std::span<const Index> row) const;
  void RaiseTo(std::span<const Index> clock, std::vector<Index>& counts) const;
  bool HasSeen(std::span<const Index> clock, const Receive& receive) const {
    return clock[receive.slot] >= receive.tick;
  }

  Shape shape_;
  Index slots_ = 0;
  std::vector<Send> sends_;
  std::vector<Receive> receives_;
  std::vector<Open> open_;
  std::vector<std::vector<Index>> by_owner_, by_thread_;
  Clocks send_clocks_, receive_clocks_, prime_clocks_;
  Clocks thread_clocks_, owner_clocks_;
};

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_SEQUENCE_H_
