// Rounds of a loop that may turn out to be nothing.
//
// A thread that awaits (scheduler/spin.h) is as good as blocked, as far as heddle can see. What it
// can't see may go on all the same: a library that was not instrumented, the kernel. So before such
// a loop is called a livelock its thread goes round again, many times, while nobody else can go on
// anyway. There is no decision among these rounds, and the events of one that ends where it began
// are dropped: a livelock looks as if it had been seen at once, and no search has anything to
// reorder. As soon as something differs, the events of that round are entered as if nothing had
// been kept aside.
#ifndef HEDDLE_RUNTIME_SCHEDULER_REHEARSAL_H_
#define HEDDLE_RUNTIME_SCHEDULER_REHEARSAL_H_

#include <cstdint>

#include "runtime/scheduler/object.h"
#include "trace/race_detector.h"
#include "trace/records.h"

namespace heddle {

struct Thread;

// An event of the round, with all that is to be entered with it.
struct AsideEvent {
  PendingOp op;
  Object* object;
  Object* second;
  Event event;
  StackRecord stack;  // with detail
  // The access that it is, for the race detector.
  std::uint64_t address;
  std::uint64_t size;  // 0: none
  MemoryOrder order;
  bool is_atomic;
};

// One round at a time. What is kept lies in the process, not here: a run that has no such loop pays
// nothing for it.
class Rehearsal {
 public:
  static constexpr std::uint32_t kMostEvents = 64;

  bool is_on() const { return thread_ != nullptr; }
  Thread* thread() const { return thread_; }
  bool is_full() const { return count_ == kMostEvents; }

  void Begin(Thread* thread, std::uint32_t frames) {
    thread_ = thread;
    count_ = 0;
    frames_ = frames;
  }
  void End() { thread_ = nullptr; }

  AsideEvent* Add();
  // Of the event that was added last.
  void Accessed(std::uint64_t address, std::uint64_t size, bool is_atomic, MemoryOrder order);

  std::uint32_t count() const { return count_; }
  const AsideEvent& At(std::uint32_t index) const;
  std::uint32_t frames() const { return frames_; }  // that were stored before the round

 private:
  Thread* thread_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t frames_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_REHEARSAL_H_
