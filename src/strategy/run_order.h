// The partial order of one run, from its records alone: what happens before what, which operations
// raced, who was woken by whom.
//
// Built for every run that a systematic search learns. One RunOrder is used again and again: it
// allocates only until it is warm, and what a run has in common with the one before, from its
// beginning on, is not computed again. What happens before a step is computed when somebody asks:
// of most steps (threads that end, are joined) nobody does.
#ifndef HEDDLE_STRATEGY_RUN_ORDER_H_
#define HEDDLE_STRATEGY_RUN_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/dependence.h"
#include "trace/run_trace.h"

namespace heddle {

// What acts on the ports of <heddle/sync.h>. A selective receive depends on the sends to all its
// ports, so that a send depends on those to the sibling ports; which they are differs from run to
// run. All of them therefore count as acting on one object.
constexpr bool IsPortOperation(OpKind kind) {
  return kind == OpKind::kPortSend || kind == OpKind::kPortPut || kind == OpKind::kPortReceive;
}

// A step is an executed event or, behind those, the operation that a thread never got to: its index
// is then events() + the thread's id.
class RunOrder {
 public:
  using Step = std::uint32_t;
  static constexpr Step kNone = 0xffffffff;

  // Of a lock: who holds it (to write), how many do to read, and whether a writer is queued.
  struct alignas(8) LockState {
    ThreadId holder = kNoThread;
    std::uint16_t readers = 0;
    std::uint16_t queued = 0;
    std::uint16_t unused = 0;
  };

  struct StepInfo {
    LockState lock;  // just before the step
    // As an event ends: copied in one piece.
    ThreadId thread = kNoThread;
    ThreadId other = kNoThread;  // of Event
    OpKind kind = OpKind::kNone;
    // Of an operation on descriptors how the channel is used, before and behind it:
    // trace/channel_use.h.
    std::uint8_t left = 0;
    std::uint8_t found = 0;
    std::uint8_t flags = 0;  // of Event

    ObjectId object = kNoObject;
    bool is_point = false;  // somebody decided that it runs now
    // Nothing is set behind `joined`; an event changed nothing but the last one of its thread and
    // of its object.
    bool is_quick = true;
    Step previous = kNone;  // of its thread
    std::uint32_t nth = 0;  // of its thread, from 0
    // Behind the last step that leads up to it directly: to its being the next one of its thread,
    // and to its having been carried out. What comes from there on does not happen before it.
    Step start_end = 0;
    Step past_end = 0;
    // Per object (first, second): the step on it before, and the last one of the group before.
    Step before[2] = {kNone, kNone};
    Step group_before[2] = {kNone, kNone};
    Step joined = kNone;  // the last of the thread that it joined

    bool on_binary = false;      // on a binary semaphore: a V may have to wait, too
    bool begins = false;         // steps of a once: it is the one that initialises
    bool is_on_channel = false;  // an operation on one, not on all
    bool is_on_list = false;     // ... or on several
    ObjectId second = kNoObject;
    std::uint64_t value = 0;  // of Event
    Step creator = kNone;     // of its thread, for its first step
    Step waker = kNone;       // that let its thread go on to it
    // A cancellation or a signal is sent to a thread: the order against all that thread's steps
    // matters. `aimed_at` is that thread's last one before, `disturbed_by` what was sent to this
    // one's since its last step.
    ThreadId target = kNoThread;
    Step aimed_at = kNone;
    Step disturbed_by = kNone;

    // How it touches its object: by what it did, or, never carried out, by what it may come to.
    AccessMode access() const {
      if (kind == OpKind::kPortSend) return AccessMode::kAlone;
      return failed() && !keeps_its_access() ? FailedAccessOf(kind) : AccessOf(kind);
    }
    bool failed() const { return (flags & (Event::kFailed | Event::kTimedOut)) != 0; }
    // Failed, but as one who did not: behind a writer that only waits a reader is one of the
    // readers, and a writer that gives up waiting lets them in.
    bool keeps_its_access() const {
      const bool reads = kind == OpKind::kTryReadLock || kind == OpKind::kReadLock;
      return (reads && lock.holder == kNoThread) || (kind == OpKind::kWriteLock && lock.queued > 0);
    }
  };

  // The trace must outlive the use of this object.
  void Build(const RunTrace& trace);

  // False: messages were received, and which one was a decision that this order leaves out.
  bool sees_all() const { return sees_all_; }
  // A thread was sent a signal: what it does instead of what it was about to do is in the trace,
  // what it was about to do is not, so races with that are not seen. Or a thread was cancelled
  // where it waited: what else could have let it go on is not held against that. Or time might have
  // passed for who waits for descriptors before somebody read the clock: the two have no object in
  // common.
  bool hides_orders() const { return first_hidden_ != kNone || HidesClock() || HidesIoTime(); }
  // Time might have passed before somebody read the clock where that is no point: no search that
  // tries other orders of points does that.
  bool HidesClock() const;

  // Somebody did so where that is a point.
  bool reads_clock() const { return !clock_reads_.empty() && clock_reads_.front() < events_; }
  std::span<const Step> clock_reads() const { return clock_reads_; }
  // Somebody has slept, or waited until it was too late.
  bool moves_clock() const { return !clock_moves_.empty() && clock_moves_.front() < events_; }

  Step events() const { return events_; }
  Step steps() const { return static_cast<Step>(steps_.size()); }
  const StepInfo& operator[](Step step) const { return steps_[step]; }
  bool IsPending(Step step) const { return step >= events_; }
  std::size_t threads() const { return ranks_.size(); }

  // The events, in their order, that somebody decided about, that a wake-up let their thread go on
  // to, or that handle a signal: of the others, whatever they are, nobody tries another order.
  std::span<const Step> Points() const { return {points_.data(), point_count_}; }
  std::span<const Step> PointsFrom(Step first) const {
    std::size_t at = point_count_;  // what is asked for is near the end
    while (at > 0 && points_[at - 1] >= first) --at;
    return Points().subspan(at);
  }
  // The threads that have a next operation, which never came.
  std::span<const ThreadId> Pending() const { return pending_; }

  // `a`, an event, must come before `b` in every run of this class.
  bool HappensBefore(Step a, Step b) const {
    if (a >= steps_[b].past_end) return false;
    if (steps_[a].thread == steps_[b].thread) return true;
    if (slots_[b].past == kNone) ComputeRow(b, Row::kPast);
    return Has(slots_[b].past, a);
  }
  // `a` happens before the thread of `b` has `b` as its next operation.
  bool PrecedesStart(Step a, Step b) const {
    if (a >= steps_[b].start_end) return false;
    if (steps_[a].thread == steps_[b].thread) return true;
    if (slots_[b].start == kNone) ComputeRow(b, Row::kStart);
    return Has(slots_[b].start, a);
  }

  // An object that a step touches: the step on it before, and the last one of the group before.
  struct Link {
    ObjectId object = kNoObject;
    Step before = kNone;
    Step group_before = kNone;
    bool only_looks = false;  // whatever the step does to others
  };
  // Of an object that the step touches.
  Link LinkOn(Step step, ObjectId object) const {
    const StepInfo& info = steps_[step];
    if (info.object == object) return {object, info.before[0], info.group_before[0]};
    return OtherLinkOn(step, object);
  }
  bool Touches(Step step, ObjectId object) const;
  // Whether the step, on channels, changes that one, and what of its notes is about it.
  bool Changes(Step step, ObjectId channel) const {
    const StepInfo& info = steps_[step];
    if (!info.is_on_channel || info.kind == OpKind::kLook) return false;
    return !info.is_on_list || !OnlyLooksAt(step, channel);
  }
  std::uint8_t NotedOf(Step step, ObjectId channel, std::uint8_t noted) const {
    return steps_[step].is_on_list ? NotedInList(step, channel, noted) : noted;
  }

  // The channels that a step on channels touches, and what it asks of each (trace/channel_use.h).
  struct Channel {
    ObjectId object = kNoObject;
    std::uint8_t asked = 0;
  };
  void ChannelsOf(Step step, std::vector<Channel>* channels) const;
  // What could be done there when the run first came to it.
  std::uint8_t NotedAtFirst(ObjectId channel) const { return trace_.objects[channel].noted; }

  // Events of other threads that `step` depends on directly: the groups just before it on each of
  // its objects. Some may also happen before it in other ways.
  std::span<const Step> ConflictsOf(Step step);
  // Whether there is at most one, as seen at a glance; then it is in `only`, or kNone.
  bool HasOneConflict(Step step, Step* only) const {
    const StepInfo& info = steps_[step];
    if (!info.is_quick || step == last_ || !links_from_.empty()) return false;
    const Step other = *only = info.group_before[0];
    if (other == kNone) return true;
    if (AccessOf(steps_[other].kind) != AccessMode::kAlone || !steps_[other].is_quick) return false;
    if (steps_[other].thread == info.thread) *only = kNone;
    return true;
  }
  // Whether the operation of `a` can be swapped with a neighbouring `b`.
  bool AreDependent(Step a, Step b) const;
  // Whether `next`, as long as it is not carried out, may come to depend on the event `done`: it
  // may come to something else where it was not.
  bool MayDepend(Step done, Step next) const;
  // Whether `b` would depend on the event `a` if it were carried out just behind that and what it
  // commutes with, instead of where it was: there a try may fail that did not, or the other way.
  bool WouldDepend(Step a, Step b) const {
    const StepInfo& x = steps_[a];
    const StepInfo& y = steps_[b];
    const bool is_usual = x.is_quick && y.is_quick && y.kind != OpKind::kAtomicRmw && a != last_ &&
                          b != last_ && links_from_.empty();
    if (!is_usual) return WouldDependByAll(a, b);
    return x.object == y.object && !Commute(AccessOf(x.kind), AccessOf(y.kind));
  }

  // By the process-exit, or by what a thread did last behind it.
  bool EndsProcess(Step step) const {
    return step == last_ || steps_[step].kind == OpKind::kProcessExit;
  }

  // Which message is received: decided just before the receive.
  bool IsMessageChoice(const DecisionRecord& decision) const;

  // The order of threads that is the same in every run: by path, not by creation.
  std::uint32_t RankOf(ThreadId thread) const { return ranks_[thread]; }

  // The message that a receive took, by a name that is the same in all runs with its past.
  struct Message {
    ThreadId sender = kNoThread;
    std::uint16_t nth = 0;   // of those of the sender that it could have taken
    bool is_default = true;  // the rule's: the first message of the first sender by rank
  };
  const Message& MessageOf(Step receive) const { return messages_[receive]; }

  // Answers that belong to an event beside who runs: whom it woke, which message it took. Indices
  // of decisions.
  struct Choices {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  Choices ChoicesOf(Step event) const;
  bool has_choices() const { return has_choices_; }
  // Whether a decision was answered by the rule: the first thread by rank, its first message.
  bool IsDefault(const DecisionRecord& decision) const;

 private:
  // Steps of one thread happen one after the other, so what happens before a step is known by how
  // many of each other thread do: a row of a number per thread. (Its own thread's is its nth.) A
  // step that nobody but its own thread leads up to has the row of the step before: `slots_` says
  // where a step's rows are, kNone where they are not known yet.
  enum class Row : std::uint8_t { kStart, kPast };
  struct Slots {
    Step start = kNone;
    Step past = kNone;
  };
  static constexpr Step kNothingBefore = 0;  // the row of zeros
  static constexpr std::size_t kAtOnce = 4;  // numbers that a row is made of
  static Step OwnSlot(Step step, Row row) { return 1 + 2 * step + (row == Row::kPast ? 1 : 0); }

  bool Has(Step slot, Step a) const {
    return rows_[slot * width_ + steps_[a].thread] > static_cast<std::int32_t>(steps_[a].nth);
  }
  void ComputeRow(Step step, Row row) const;
  bool AwaitsRows(Step step, Row row) const;
  void SetStart(Step step) const;
  void SetPast(Step step) const;
  Step CopyOf(Step slot, Step into) const;
  void Merge(Step into, Step from) const;
  void LookAtThreads(const RunTrace& trace);
  void RankThreads();
  void FindLinks();
  void TouchLinks(Step step);
  bool DependOnLinks(Step a, AccessMode a_access, Step b, AccessMode b_access) const;
  bool OnlyLooksAt(Step step, ObjectId channel) const;
  std::uint8_t NotedInList(Step step, ObjectId channel, std::uint8_t noted) const;
  ObjectId ListOf(Step step) const;
  Link OtherLinkOn(Step step, ObjectId object) const;
  bool HasPendingOnSeveral() const;
  // What it touches beyond the objects that it names; of most nothing.
  std::span<const Link> LinksOf(Step step) const {
    if (links_from_.empty()) return {};
    return {links_.data() + links_from_[step], links_from_[step + 1] - links_from_[step]};
  }
  Step CommonWith(const RunTrace& trace) const;
  Step LastLogged() const;
  void UndoTo(Step step);
  void UndoLogged(Step step);
  bool Follow(Step from);
  void ClearPending();
  void FollowOdd(const Event& event, StepInfo* step);
  void FollowTimed(StepInfo* step);
  void AddPending(ThreadId thread);
  // Who stands in a loop has no next operation in this run: its round is among the events.
  bool HasPending(ThreadId thread) const {
    return trace_.threads[thread].ended == 0 && trace_.threads[thread].stands == 0;
  }
  void FindChoices();
  ObjectId ObjectOf(OpKind kind, ObjectId object);
  void FollowIo(StepInfo* step, ObjectId object);
  void FindEnd(const RunTrace& trace);
  Step LastPointOf(ThreadId thread, Step before) const;
  enum class Happened : std::uint8_t { kNo, kYes };
  struct Tables;
  // Every event of every run comes by: most are quick ones.
  [[gnu::always_inline]] static inline void CopyTail(const Event& event, StepInfo* step);
  [[gnu::always_inline]] static inline bool FollowQuickly(Step step, Tables* tables);
  void NoteClock(Step i);
  bool BeginsTimedWait(Step read) const;
  bool SeesTime() const;
  bool HidesIoTime() const;
  bool MightBeExchanged(Step a, Step b) const;
  bool IsCancelledWait(const Event& event) const;
  [[gnu::noinline]] bool FollowEvent(Step step);
  void Enter(Step step, Happened happened);
  void Touch(Step step, int slot, ObjectId object, Happened happened);
  void FollowState(Step step);
  void CollectConflicts(Step step, std::vector<Step>* conflicts) const;
  void CollectGroup(Step step, ObjectId object, Step at, std::vector<Step>* conflicts) const;
  bool AreDependentAs(Step a, AccessMode a_access, Step b, AccessMode b_access) const;
  bool WouldDependByAll(Step a, Step b) const;
  AccessMode AccessBehind(Step a, Step b) const;
  bool FindsOtherValue(Step a, Step b) const;
  void FollowMessages(Step step);

  // At a port: sent, or with a place at a bounded one.
  struct Waiting {
    ThreadId sender = kNoThread;
    Step send = kNone;
    ObjectId port = kNoObject;
  };
  struct OpenPort {
    ThreadId receiver = kNoThread;
    ObjectId port = kNoObject;
  };

  // Their sizes are powers of two: they are found by number, again and again.
  struct alignas(32) ObjectState {
    LockState lock;
    Step last = kNone;
    // How the last one touched it, and the last one of the group before that.
    Step group_before = kNone;
    AccessMode access = AccessMode::kAlone;
    std::uint8_t size = 0;  // of its first access, of memory
    bool once_done = false;
    Step once_begun = kNone;
    std::uint32_t depth = 0;
  };
  struct alignas(32) ThreadState {
    Step last = kNone;
    std::uint32_t events = 0;
    Step waker = kNone;
    Step creator = kNone;
    ObjectId asleep_on = kNoObject;
    Step disturbed_by = kNone;
    bool exits = false;   // ends the process
    bool is_calm = true;  // nobody made, woke or disturbed it since its last event; it is awake
  };

  // What an event changed, to be put back: its thread (of a quick one it is known) and its object,
  // and in logs others.
  struct Before {
    ThreadState thread;
    ObjectState object;
  };
  struct ObjectBefore {
    Step step;
    ObjectId object;
    ObjectState state;
  };
  struct ThreadBefore {
    Step step;
    ThreadId thread;
    ThreadState state;
  };
  // Where what follows an event finds all that it needs.
  struct Tables {
    const Event* events;
    StepInfo* steps;
    Before* before;
    ObjectState* objects;
    ThreadState* threads;
    Step* points;
    std::size_t point_count;
  };
  struct Spans {
    std::span<const DecisionRecord> decisions;
    std::span<const Event> events;
    std::span<const ObjectRecord> objects;
    std::span<const ThreadRecord> threads;
  };
  void MeetSize(const Event& event, ObjectState* object);
  ThreadState& ChangeOther(ThreadId thread, Step by) {
    thread_log_.push_back({by, thread, threads_[thread]});
    threads_[thread].is_calm = false;
    return threads_[thread];
  }

  Spans trace_;
  std::vector<Event> followed_;     // that steps_ are of
  std::size_t followed_count_ = 0;  // 0: the next run starts from nothing
  std::vector<ObjectBefore> object_log_;
  std::vector<ThreadBefore> thread_log_;
  std::vector<Before> before_;  // by event
  std::vector<Step> points_;    // as many as there are events
  std::size_t point_count_ = 0;
  Step undoable_ = 0;  // events whose changes are there
  ObjectId ports_ = kNoObject;
  ObjectId io_ = kNoObject;  // all descriptors
  ObjectId clock_ = kNoObject;
  bool is_plain_ = true;  // every memory object is accessed in one size
  Step events_ = 0;
  std::size_t width_ = 0;  // of a row
  std::vector<StepInfo> steps_;
  mutable std::vector<Slots> slots_;         // by step
  mutable std::vector<std::int32_t> rows_;   // by slot, width_ each
  mutable std::vector<Step> asked_;          // whose rows are being computed
  mutable std::vector<Step> row_conflicts_;  // of one of them
  Step cleared_at_ = kNone;                  // steps behind so many events are blank, but for
  std::vector<ThreadId> pending_;            // these threads' operations
  std::vector<ObjectState> objects_;
  std::vector<ThreadState> threads_;
  std::vector<std::uint32_t> ranks_;
  std::vector<ThreadId> by_rank_;  // empty: by their numbers
  bool all_of_main_ = true;
  std::vector<ThreadId> left_;  // threads with a next operation
  std::vector<Step> conflicts_;
  // Memory that is accessed in bulk or in different sizes (run_order_memory.cc); empty = none is.
  std::vector<Link> links_;                // of all steps
  std::vector<std::uint32_t> links_from_;  // by step
  bool sees_all_ = true;
  bool has_choices_ = false;
  Step first_hidden_ = kNone;
  std::vector<Step> clock_reads_, clock_moves_;
  // Behind it the process ended, whatever the other threads were at: like the process-exit itself,
  // it depends on all that they do.
  Step last_ = kNone;
  std::vector<std::uint32_t> first_choice_;  // by event: index of its first decision of its own
  std::vector<Message> messages_;            // by event; empty where nothing is received
  std::vector<Waiting> waiting_;             // in the order of admission
  std::vector<OpenPort> open_;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_RUN_ORDER_H_
