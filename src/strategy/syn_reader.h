// The SYN-sequence of a real run, from its trace.
//
// Threads go by their paths and owners by the keys of their objects, so that a sequence means the
// same in every run. What the model does not cover is named.
#ifndef HEDDLE_STRATEGY_SYN_READER_H_
#define HEDDLE_STRATEGY_SYN_READER_H_

#include <deque>
#include <map>
#include <set>
#include <string>
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
};

// Reads one run. Made afresh for each.
class SynReader {
 public:
  // `names` grows by what the run brings.
  SynReader(const RunTrace& trace, const reach::Variant& variant, SynNames* names);

  // Reads up to the end, or up to the receive that the variant bars.
  void Read(reach::Sequence* sequence);

  bool blocked() const { return blocked_; }
  // The run did not begin with its variant: the program did something else than it did before.
  bool diverged() const { return diverged_; }
  const std::set<std::string>& uncovered() const { return uncovered_; }
  // The receive is a plain access to memory: if it races, that is a data race.
  bool IsPlainAccess(reach::Index receive) const { return plain_[receive]; }
  // Of each owner, an object with its key; kNoObject for receiving threads.
  const std::vector<ObjectId>& object_of_owner() const { return object_of_owner_; }
  const std::vector<ThreadId>& thread_of_index() const { return thread_of_index_; }

 private:
  using Index = reach::Index;
  struct ObjectState {
    ThreadId owner = kNoThread;  // of a lock
    std::uint32_t depth = 0;
    std::vector<Index> releases;  // bounded port: receives, in order
    Index admitted = 0;
    ThreadId receiver = kNoThread;
    std::deque<Index> messages;     // port: sends not yet received
    std::vector<ThreadId> waiters;  // condition
  };
  struct ThreadState {
    Index index = 0;
    Index sends = 0;
    bool queued = false;  // waits on a condition, and was not signalled
    std::vector<reach::Open> open;
  };

  void Intern();
  bool ReadEvent(const Event& event, ObjectId second);
  bool Call(ThreadId thread, ObjectId object, reach::Operation operation, const Event& event);
  bool Receive(const Event& event);
  void Send(const Event& event);
  void Local(const Event& event);
  void Notify(ThreadId woken, Index owner);
  void OpenList(ObjectId object, reach::Operation operation, ThreadId thread, const Event& event);
  void Apply(ThreadId thread, ObjectId object, reach::Operation operation, const Event& event);
  bool Permits(Index owner, const reach::SendName& send);
  void ReadPending(std::size_t from);
  void AddPending(ThreadId thread, OpKind kind, ObjectId object);
  Index OwnerOf(ObjectId object) const { return owner_of_object_[object]; }
  Index OwnerOfReceiver(ThreadId thread) const;

  const RunTrace& trace_;
  const reach::Variant& variant_;
  SynNames* names_;
  reach::Sequence* sequence_ = nullptr;
  std::vector<ThreadState> threads_;
  std::map<ObjectId, ObjectState> objects_;
  std::vector<Index> owner_of_object_;
  std::vector<ObjectId> object_of_owner_;
  std::vector<ThreadId> thread_of_index_;
  std::vector<reach::Open> open_;
  std::vector<bool> plain_;
  bool blocked_ = false;
  bool diverged_ = false;
  std::set<std::string> uncovered_;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_SYN_READER_H_
