// The SYN-sequence of a real run, from its trace.
//
// Threads go by their paths and owners by the keys of their objects, so that a sequence means the
// same in every run. What the model does not cover is named.
#ifndef HEDDLE_STRATEGY_SYN_READER_H_
#define HEDDLE_STRATEGY_SYN_READER_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reach/sequence.h"
#include "reach/variant.h"
#include "strategy/syn_ops.h"
#include "strategy/variant_data.h"
#include "trace/run_trace.h"

namespace heddle {

struct SynNames {
  NameTable threads;  // by path
  NameTable owners;   // by key
  // Variables, by key, that threads access without protection: their accesses are SYN-events. All
  // others' are none.
  std::set<std::uint64_t> racy;
};

// Reads one run after the other. What it says is of the run read last, except for `uncovered`.
class SynReader {
 public:
  // Reads up to the end, or up to the receive that the variant bars. `names` grows by what the run
  // brings. The trace must outlive what is asked.
  void Read(const RunTrace& trace, const reach::Variant& variant, SynNames* names,
            reach::Sequence* sequence);

  bool blocked() const { return blocked_; }
  // The run did not begin with its variant: the program did something else than it did before.
  bool diverged() const { return diverged_; }
  // What all runs so far had that the model does not cover.
  const std::set<std::string>& uncovered() const { return uncovered_; }
  // Variables of the run with a data race that are not in `names` yet: the run was read without
  // their accesses.
  const std::set<std::uint64_t>& new_racy() const { return new_racy_; }
  // Of each owner, an object with its key; kNoObject for receiving threads.
  const std::vector<ObjectId>& object_of_owner() const { return object_of_owner_; }
  const std::vector<ThreadId>& thread_of_index() const { return thread_of_index_; }

 private:
  using Index = reach::Index;
  struct Waiter {
    ThreadId thread = kNoThread;
    Index send = reach::kNone;  // of its being woken
  };
  struct Message {
    Index send = reach::kNone;
    std::uint64_t bytes = 0;  // of a pipe
  };
  struct Access {
    Index thread = reach::kNone;
    Index tick = 0;
  };
  struct ObjectState {
    ThreadId owner = kNoThread;  // of a lock
    std::uint32_t depth = 0;
    ThreadId receiver = kNoThread;
    Index admitted = 0;
    std::vector<Index> releases;    // bounded port: receives, in order
    std::vector<Message> messages;  // port: sent and not yet received
    std::vector<Waiter> waiters;    // condition
    std::uint64_t bytes = 0;        // in a pipe
    std::uint64_t count = 0;        // of a counter
    bool read_end_closed = false;   // of a pipe
    Access last_write;              // variable
    std::vector<Access> reads;      // since then
    bool used = false;              // in this run
  };
  struct ThreadState {
    Index index = 0;
    bool queued = false;  // waits on a condition, and was not signalled
    std::vector<reach::Open> open;
    std::vector<ObjectId> no_more_written;  // that it is about to close
    ObjectId pipe = kNoObject;              // that it is about to use
    PipeUse use = PipeUse::kNone;
    std::uint64_t size = 0;  // that it asked for
  };
  // A read that would have taken more, had there been more.
  struct Greedy {
    Index receive = reach::kNone;
    ObjectId pipe = kNoObject;
  };

  void Begin();
  // Whether there are accesses that are no SYN-events.
  bool Intern();
  ObjectState& StateOf(ObjectId object);
  bool ReadEvent(const Event& event);
  bool Call(ThreadId thread, ObjectId object, reach::Operation operation, const Event& event);
  bool Wait(const Event& event);
  bool Signal(const Event& event);
  bool Wake(const Event& event, const Waiter& waiter, ThreadId only);
  bool Receive(const Event& event);
  void Send(const Event& event);
  void Local(const Event& event);
  // A plain access to memory that is no SYN-event.
  bool IsQuiet(OpKind kind, ObjectId object) const;
  void LookForRace(const Event& event);
  // strategy/syn_pipes.cc
  bool Pipe(const Event& event);
  bool WritePipe(const Event& event, ObjectId pipe, std::uint64_t size);
  bool ReadPipe(const Event& event, ObjectId pipe, std::uint64_t size);
  bool TakeMessage(const Event& event, ObjectId pipe);
  bool UseCounter(const Event& event, ObjectId counter, PipeUse use, std::uint64_t amount);
  void OpenPipe(const Event& event);
  void CheckPipes();
  void Notify(ThreadId woken, Index owner);
  void OpenList(ObjectId object, reach::Operation operation, const Event& event);
  void Apply(ThreadId thread, ObjectId object, reach::Operation operation, const Event& event);
  bool Permits(Index owner, const reach::SendName& send);
  void ReadPending(std::size_t from);
  void AddPending(ThreadId thread, OpKind kind, ObjectId object);
  void Uncovered(std::string_view what);
  Index OwnerOf(ObjectId object) const { return owner_of_object_[object]; }
  Index OwnerOfReceiver(ThreadId thread) const;

  const RunTrace* trace_ = nullptr;
  const reach::Variant* variant_ = nullptr;
  SynNames* names_ = nullptr;
  reach::Sequence* sequence_ = nullptr;
  bool blocked_ = false;
  bool diverged_ = false;
  // Kept from run to run for their memory.
  std::vector<ThreadState> threads_;
  std::vector<ObjectState> objects_;
  std::vector<Index> owner_of_object_;
  std::vector<ObjectId> object_of_owner_;
  std::vector<ThreadId> thread_of_index_;
  std::vector<reach::Open> open_;
  std::set<std::uint64_t> new_racy_;
  std::vector<bool> seen_;
  std::vector<Greedy> greedy_;
  std::set<std::string> uncovered_;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_SYN_READER_H_
