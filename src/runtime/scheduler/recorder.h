// Writes a run's events and decisions into the channel, and folds them into its two hashes.
//
// No system call, lock or allocation per event. What does not fit is counted and marked as
// truncated.
#ifndef HEDDLE_RUNTIME_SCHEDULER_RECORDER_H_
#define HEDDLE_RUNTIME_SCHEDULER_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/scheduler/thread.h"
#include "trace/channel.h"
#include "trace/class_hash.h"

namespace heddle {

class Recorder {
 public:
  // A run begins; before that events are not recorded.
  void Begin(Channel* channel);
  // Nothing of the run before is in the channel any more: the next one may end before it begins.
  static void Forget(Channel* channel);
  bool recording() const { return channel_ != nullptr; }
  bool detail() const { return detail_; }

  // Nothing is to be looked at beyond what every event needs: see AddUnusual.
  bool is_usual() const { return events_ < usual_until_; }
  // From that event on none is usual.
  void LimitTo(std::uint64_t events) {
    limit_ = events;
    SetUsualUntil();
  }

  // `second` is touched too (the mutex of a wait). Both were announced. Returns the
  // event as stored, to be completed (value, other, flags) before the next one.
  Event* Add(Thread* thread, const PendingOp& op, Object* object, Object* second) {
    if (__builtin_expect(!is_usual(), 0)) return AddUnusual(thread, op, object, second);
    FoldAs(AccessOf(op.kind), thread, op.kind, object, second);
    return StoreNext(*thread, op, object, 0, kNoThread);
  }
  // The same on one object, while is_usual(), all at once. `kind` is the operation's, for those who
  // know it beforehand.
  [[gnu::always_inline]] Event* AddUsual(Thread* thread, const PendingOp& op, OpKind kind,
                                         Object* object, std::uint64_t value, ThreadId other) {
    FoldAs(AccessOf(kind), thread, kind, object, nullptr);
    return StoreNext(*thread, op, object, value, other);
  }

  // The event to be added for that very operation is one that has failed; null: none is.
  void Fails(const PendingOp* op) {
    failed_ = op;
    SetUsualUntil();
  }

  // The last event of `thread` touches that object too: a bulk access is one event on many
  // granules.
  void AlsoTouches(const Thread& thread, OpKind kind, Object* object) {
    AlsoTouches(thread, kind, AccessOf(kind), object);
  }
  void AlsoTouches(const Thread& thread, OpKind kind, AccessMode access, Object* object);

  // The last event of `thread` let `woken` go on.
  void Woke(const Thread& thread, const Thread& woken);

  // The last event of `thread` is aimed at another one, at the point where that is now.
  void Aimed(const Thread& thread, const Thread& target);

  // `among`: the options' threads, as in the record.
  void Add(const Decision& decision, std::size_t chosen, std::uint64_t among, bool current_enabled);

  // An operation on it was announced: policies may look it up from now on.
  void Announce(const Object* object) {
    if (object != nullptr && channel_ != nullptr && object->id >= channel_->object_count) {
      StoreNewObject(*object);
    }
  }
  // It covers more from now on; its key stays what it was when it was announced.
  void Widen(const Object& object);
  // Another process of this run has widened some, perhaps: all cover what they cover here.
  void StoreExtents();
  const ObjectRecord* objects() const { return object_area_; }  // by ObjectId; null before a run
  const ThreadRecord* threads() const { return thread_area_; }  // by ThreadId; likewise

  void AddThread(const Thread& thread);
  void SetName(const Thread& thread);

  // A stack into the frame area.
  StackRecord StoreStack(const std::uint64_t* frames, std::uint32_t count);
  void SetThreadStack(ThreadId thread, StackRecord stack);
  void SetEventStack(std::uint64_t event, StackRecord stack) {
    if (event < capacity_) event_stack_area_[event] = stack;
  }

  std::uint64_t events() const { return events_; }
  std::uint64_t decisions() const { return decisions_; }
  std::uint64_t class_hash() const { return class_hash_.value(); }
  // Equal for runs with the same events and decisions in the same order. Folded when it is asked
  // for: of most runs nobody does.
  std::uint64_t EventHash();

  // The run's record, all but how it ended and the hash of its events.
  void Finish(RunRecord* record);
  // Of a thread that has not ended. `expected`: see ThreadRecord.
  void StorePending(ThreadId thread, const PendingOp& op, std::uint16_t expected, bool enabled,
                    bool stands);
  void StoreEnd(ThreadId thread) { thread_area_[thread].ended = 1; }

 private:
  // Where something is to be looked at beyond what every event needs: nothing is recorded, there is
  // no more room (for events or for objects), its page is new, or the run is recorded in more
  // detail.
  Event* AddUnusual(Thread* thread, const PendingOp& op, Object* object, Object* second);

  // Counts the event and folds it into the hash of its class.
  [[gnu::always_inline]] void FoldAs(AccessMode access, Thread* thread, OpKind kind, Object* object,
                                     Object* second) {
    channel_->heartbeat.store(++events_, std::memory_order_relaxed);
    const std::uint64_t nth = thread->events++;
    if (object == nullptr || IsPartOfTurnBefore(kind)) return;
    const std::uint64_t identity = EventIdentity(thread->path_hash, nth);
    class_hash_.Add(identity, kind, access, object->key, object->order);
    if (__builtin_expect(second != nullptr, 0)) {
      class_hash_.Add(identity, kind, SecondAccessOf(kind), second->key, second->order);
    }
  }
  // The event that was counted last.
  [[gnu::always_inline]] Event* StoreNext(const Thread& thread, const PendingOp& op,
                                          const Object* object, std::uint64_t value,
                                          ThreadId other) {
    const std::uint64_t count = events_;
    channel_->event_count = static_cast<std::uint32_t>(count);
    Event* const event = &event_area_[count - 1];
    Store(thread, op, object == nullptr ? kNoObject : object->id, value, other, event);
    return event;
  }
  // Field by field: a whole one would be put together elsewhere first.
  [[gnu::always_inline]] static void Store(const Thread& thread, const PendingOp& op,
                                           ObjectId object, std::uint64_t value, ThreadId other,
                                           Event* event) {
    event->site = op.site;
    event->value = value;
    event->object = object;
    event->context = op.context;
    event->thread = thread.id;
    event->other = other;
    // Kind, size, order and flags lie side by side in both.
    static_assert(offsetof(Event, flags) == offsetof(Event, kind) + 3 &&
                  offsetof(PendingOp, flags) == offsetof(PendingOp, kind) + 3 &&
                  offsetof(Event, order) - offsetof(Event, size) == 1 &&
                  offsetof(PendingOp, order) - offsetof(PendingOp, size) == 1);
    std::memcpy(reinterpret_cast<char*>(event) + offsetof(Event, kind),
                reinterpret_cast<const char*>(&op) + offsetof(PendingOp, kind), 4);
  }
  void SetUsualUntil();
  void StoreObjectsUpTo(ObjectId last) {
    if (__builtin_expect(last >= channel_->object_count, 0)) StoreNewObjects(last);
  }
  void StoreNewObjects(ObjectId last);
  void StoreNewObject(const Object& object);
  void StoreStackOf(std::uint64_t event, std::uint64_t site);
  // What is not stored is folded into the hash at once, behind all that is.
  void HashEvent(ThreadId thread, OpKind kind, ObjectId object);
  void HashDecision(std::uint64_t options, std::uint64_t chosen);
  // A long run's records come to lie on pages that this process has not touched yet: a call for
  // many of them is cheaper than a fault for each. A short run never gets there.
  static constexpr std::uint64_t kAhead = 1024;  // records
  void MakeRoomForEvents(std::uint64_t index);

  Channel* channel_ = nullptr;
  Event* event_area_ = nullptr;
  DecisionRecord* decision_area_ = nullptr;
  ObjectRecord* object_area_ = nullptr;
  ThreadRecord* thread_area_ = nullptr;
  StackRecord* event_stack_area_ = nullptr;
  StackRecord* thread_stack_area_ = nullptr;
  std::uint64_t* frame_area_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t usual_until_ = 0;
  std::uint64_t limit_ = ~std::uint64_t{0};
  std::uint64_t decisions_ = 0;
  std::uint64_t preemptions_ = 0;
  std::uint64_t event_hash_ = 0;  // of so many
  std::uint64_t hashed_events_ = 0;
  std::uint64_t hashed_decisions_ = 0;
  ClassHash class_hash_;
  PairCoverage* coverage_ = nullptr;   // null: nobody asked for it
  const PendingOp* failed_ = nullptr;  // see Fails
  Event spare_;                        // where an event goes that does not fit
  bool detail_ = false;
  bool truncated_ = false;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_RECORDER_H_
