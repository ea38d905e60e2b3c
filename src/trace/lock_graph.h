// The orders in which locks are taken while others are held: a cycle could be a deadlock, also in a
// run where nobody waited.
//
// Not reported: cycles within one thread, cycles whose threads all hold a common lock (a gate), and
// orders that thread creation or joining keeps apart. Who takes a lock to read does not wait for
// those who hold it to read, and so such a lock is no gate between them either.
#ifndef HEDDLE_TRACE_LOCK_GRAPH_H_
#define HEDDLE_TRACE_LOCK_GRAPH_H_

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "trace/race_detector.h"

namespace heddle {

// A lock was taken while another was held.
struct LockEdge {
  ObjectId held = kNoObject;
  ObjectId taken = kNoObject;
  bool holds_to_read = false;
  bool takes_to_read = false;
  ThreadId thread = kMainThread;
  std::uint64_t site = 0;   // of the taking
  std::uint32_t event = 0;  // of the taking
};

class LockGraph {
 public:
  void Reset();
  void ThreadCreated(ThreadId child, ThreadId parent) { news_.push_back({child, parent, false}); }
  void ThreadJoined(ThreadId child, ThreadId by) { news_.push_back({child, by, true}); }

  struct Taking {
    ThreadId thread = kMainThread;
    ObjectId lock = kNoObject;
    std::uint64_t site = 0;
    std::uint32_t event = 0;
    bool may_block = true;  // a try never waits: it closes no cycle
    bool to_read = false;
  };
  // The edges of a new ring, if this makes one, otherwise nothing. Each takes what the next one
  // holds; the one that closes it comes last.
  std::vector<LockEdge> Take(const Taking& taking);
  // The same for a thread that holds none: no ring. False: it does.
  bool TakeFirst(ThreadId thread, ObjectId lock, bool to_read) {
    std::vector<Held>& held = HeldBy(thread);
    if (!held.empty()) return false;
    held.push_back({lock, to_read});
    return true;
  }
  void Release(ThreadId thread, ObjectId lock) {
    std::vector<Held>& held = HeldBy(thread);
    if (!held.empty() && held.back().lock == lock) return held.pop_back();
    ReleaseFromBelow(&held, lock);
  }

 private:
  struct Held {
    ObjectId lock = kNoObject;
    bool to_read = false;
  };
  struct Edge {
    LockEdge edge;
    std::uint32_t time = 0;   // of its thread, in the order of creations and joins
    std::vector<Held> gates;  // the other locks held
  };

  // Of a thread: made or joined by another.
  struct News {
    ThreadId child;
    ThreadId other;
    bool is_joined;
  };

  std::vector<Held>& HeldBy(ThreadId thread) {
    if (__builtin_expect(thread >= held_.size(), 0)) held_.resize(thread + 1u);
    return held_[thread];
  }
  static void ReleaseFromBelow(std::vector<Held>* held, ObjectId lock);
  void CatchUp();
  bool IsKnown(const LockEdge& edge) const;
  // Whether the two could happen at the same time, by different threads.
  bool CanMeet(const Edge& a, const Edge& b) const;
  bool Reaches(std::vector<const Edge*>* path) const;

  RaceDetector life_;                    // asked only where a lock is taken while another is held,
  std::vector<News> news_;               // so it is told then
  std::vector<std::vector<Held>> held_;  // by thread, in the order of taking
  std::vector<Edge> edges_;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_LOCK_GRAPH_H_
