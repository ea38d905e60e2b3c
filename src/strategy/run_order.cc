#include "strategy/run_order.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "trace/channel_use.h"
#include "trace/class_hash.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

ObjectId FirstOf(ObjectKind kind, std::span<const ObjectRecord> objects) {
  for (ObjectId object = 1; object < objects.size(); ++object) {
    if (objects[object].kind == kind) return object;
  }
  return kNoObject;
}

constexpr bool IsSentToThread(OpKind kind) {
  return kind == OpKind::kCancel || kind == OpKind::kKill;
}

bool Failed(std::uint8_t flags) { return (flags & (Event::kFailed | Event::kTimedOut)) != 0; }

// What is asked of the kind of every event.
struct KindTraits {
  bool is_point = false;
  bool is_odd = false;  // it has more to it than a thread and an object
  // It changes nothing but the last event of its thread and of its object, if it does not fail; a
  // join besides follows the last event of another thread.
  bool is_quick = false;
  AccessMode access = AccessMode::kAlone;
};
constexpr auto kTraits = [] {
  std::array<KindTraits, kOpKindCount> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto kind = static_cast<OpKind>(i);
    const bool is_port = IsPortOperation(kind);
    const bool is_odd = is_port || IsIo(kind) || IsSentToThread(kind) || kind == OpKind::kWait ||
                        kind == OpKind::kWake || kind == OpKind::kOnceDone || kind == OpKind::kV ||
                        IsPartOfTurnBefore(kind);
    const bool is_quick = IsPlainAccess(kind) || IsAtomic(kind) || kind == OpKind::kStart ||
                          kind == OpKind::kExit || kind == OpKind::kJoin;
    all[i] = {.is_point = IsPoint(kind),
              .is_odd = is_odd,
              .is_quick = is_quick,
              .access = AccessOf(kind)};
  }
  return all;
}();
const KindTraits& TraitsOf(OpKind kind) { return kTraits[static_cast<std::size_t>(kind)]; }

}  // namespace

// Who has a next operation, and whether all were made by main.
void RunOrder::LookAtThreads(const RunTrace& trace) {
  const bool is_hung = trace.record.failure == FailureKind::kWatchdog;
  const auto count = static_cast<ThreadId>(trace.threads.size());
  left_.clear();
  all_of_main_ = true;
  for (ThreadId t = 0; t < count; ++t) {
    const ThreadRecord& thread = trace.threads[t];
    static_assert(kMainThread == 0 && kNoThread == static_cast<ThreadId>(-1));
    if (static_cast<ThreadId>(thread.parent + 1) > 1) all_of_main_ = false;
    if (thread.ended != 0) continue;
    if (thread.stands == 0 && (!is_hung || t != trace.failure.thread)) left_.push_back(t);
  }
}

void RunOrder::RankThreads() {
  const std::size_t count = trace_.threads.size();
  if (all_of_main_ && ranks_.size() == count && by_rank_.empty()) return;
  ranks_.resize(count);
  std::iota(ranks_.begin(), ranks_.end(), 0);
  by_rank_.clear();
  if (all_of_main_) return;  // created in the order of their numbers
  by_rank_.resize(count);
  std::iota(by_rank_.begin(), by_rank_.end(), ThreadId{0});
  std::sort(by_rank_.begin(), by_rank_.end(), [this](ThreadId a, ThreadId b) {
    return ComesBefore(a, b, trace_.threads.data(), trace_.threads.size());
  });
  for (std::size_t i = 0; i < count; ++i) ranks_[by_rank_[i]] = static_cast<std::uint32_t>(i);
}

// Events that this run begins with, as the one before did.
RunOrder::Step RunOrder::CommonWith(const RunTrace& trace) const {
  constexpr std::size_t kStride = 8;  // looked at together
  if (trace.threads.size() > width_) return 0;
  const std::size_t most = std::min(followed_count_, trace.events.size());
  const auto are_equal = [&](std::size_t at, std::size_t count) {
    return std::memcmp(&followed_[at], &trace.events[at], count * sizeof(Event)) == 0;
  };
  std::size_t common = 0;
  while (common + kStride <= most && are_equal(common, kStride)) common += kStride;
  while (common < most && are_equal(common, 1)) ++common;
  return static_cast<Step>(common);
}

// The last event that changed what the logs are for.
RunOrder::Step RunOrder::LastLogged() const {
  const Step object = object_log_.empty() ? 0 : object_log_.back().step + 1;
  const Step thread = thread_log_.empty() ? 0 : thread_log_.back().step + 1;
  return std::max(object, thread) - 1;  // kNone: nothing
}

// All states are again what they were before the step.
void RunOrder::UndoTo(Step step) {
  while (point_count_ > 0 && points_[point_count_ - 1] >= step) --point_count_;
  const StepInfo* const steps = steps_.data();
  const Before* const before = before_.data();
  ObjectState* const objects = objects_.data();
  ThreadState* const threads = threads_.data();
  Step i = undoable_;
  while (i > step) {
    const StepInfo& info = steps[--i];
    if (__builtin_expect(info.is_quick, 1)) {
      threads[info.thread].last = info.previous;
      threads[info.thread].events = info.nth;
      ObjectState& object = objects[info.object];
      object.last = info.before[0];
      object.group_before = before[i].object.group_before;
      object.access = before[i].object.access;
    } else {
      while (LastLogged() == i) UndoLogged(i);
      threads[info.thread] = before[i].thread;
      objects[info.object] = before[i].object;
    }
  }
  undoable_ = std::min(undoable_, step);
}

void RunOrder::UndoLogged(Step step) {
  if (!object_log_.empty() && object_log_.back().step == step) {
    objects_[object_log_.back().object] = object_log_.back().state;
    object_log_.pop_back();
  } else {
    threads_[thread_log_.back().thread] = thread_log_.back().state;
    thread_log_.pop_back();
  }
}

void RunOrder::Build(const RunTrace& trace) {
  Step common = CommonWith(trace);
  trace_ = {trace.decisions, trace.events, trace.objects, trace.threads};
  sees_all_ = true;
  if (first_hidden_ >= common) first_hidden_ = kNone;
  for (std::vector<Step>* const steps : {&clock_reads_, &clock_moves_}) {
    while (!steps->empty() && steps->back() >= common) steps->pop_back();
  }
  UndoTo(common);
  if (events_ != trace.events.size()) cleared_at_ = kNone;
  events_ = static_cast<Step>(trace.events.size());
  links_from_.clear();
  is_plain_ = !HasPendingOnSeveral();
  ports_ = io_ = clock_ = kNoObject;
  if (steps_.size() != events_ + trace.threads.size()) cleared_at_ = kNone;
  steps_.resize(events_ + trace.threads.size());
  slots_.resize(steps_.size());
  if (before_.size() < events_) {
    before_.resize(events_);
    points_.resize(events_);
  }
  const std::size_t slots = OwnSlot(steps(), Row::kStart);
  if (trace.threads.size() > width_) {
    width_ = (trace.threads.size() + kAtOnce - 1) / kAtOnce * kAtOnce;
    rows_.clear();
  }
  if (rows_.size() < slots * width_) rows_.resize(slots * width_);
  objects_.resize(std::max<std::size_t>(trace.objects.size(), 1));  // [0] stands for none
  threads_.resize(trace.threads.size());
  last_ = kNone;
  LookAtThreads(trace);
  RankThreads();
  FindChoices();
  while (!Follow(common)) {
    common = 0;
    UndoTo(0);
    if (!is_plain_) FindLinks();
  }
  FindEnd(trace);
  ClearPending();
  for (const ThreadId thread : left_) AddPending(thread);
  // Nothing is known of a run that was looked at in another way than most are.
  const bool is_usual = links_from_.empty() && ports_ == kNoObject;
  if (followed_.size() < events_) followed_.resize(events_);
  std::copy(trace.events.begin() + common, trace.events.end(), followed_.begin() + common);
  followed_count_ = is_usual ? events_ : 0;
}

// False: the run has to be followed in another way from its beginning: there are links, which have
// to be found first, or messages.
bool RunOrder::Follow(Step from) {
  static_assert(kNone == static_cast<Step>(-1));  // all of its bytes are equal
  std::memset(static_cast<void*>(slots_.data() + from), -1, (slots_.size() - from) * sizeof(Slots));
  if (!sees_all_) {
    messages_.assign(events_, Message());
    waiting_.clear();
    open_.clear();
  }
  Tables tables = {.events = trace_.events.data(),
                   .steps = steps_.data(),
                   .before = before_.data(),
                   .objects = objects_.data(),
                   .threads = threads_.data(),
                   .points = points_.data(),
                   .point_count = point_count_};
  const bool is_usual = sees_all_ && links_from_.empty();
  const Step end = events_;
  for (Step i = from; i < end; ++i) {
    if (is_usual) {
      while (i < end && FollowQuickly(i, &tables)) ++i;
      if (i == end) break;
    }
    undoable_ = i;
    point_count_ = tables.point_count;
    if (!FollowEvent(i)) return false;
    tables.point_count = point_count_;
  }
  undoable_ = end;
  point_count_ = tables.point_count;
  return is_plain_ || !links_from_.empty();
}

RunOrder::Step RunOrder::LastPointOf(ThreadId thread, Step before) const {
  Step step = threads_[thread].last;
  while (step != kNone && (step >= before || !steps_[step].is_point)) step = steps_[step].previous;
  return step;
}

// What a thread does behind its process-exit (exit handlers) it does like any other; then it does
// not stop any more.
void RunOrder::FindEnd(const RunTrace& trace) {
  const RunRecord& record = trace.record;
  const bool by_itself = record.outcome == RunOutcome::kExited ||
                         record.outcome == RunOutcome::kOvertaken || record.ran_on == kRanToTheEnd;
  if (events_ == 0 || !by_itself || !threads_[steps_[events_ - 1].thread].exits) return;
  last_ = LastPointOf(steps_[events_ - 1].thread, events_);
  steps_[last_].past_end = last_;
  slots_[last_].past = kNone;
}

void RunOrder::ClearPending() {
  if (cleared_at_ == events_) {
    for (const ThreadId thread : pending_) steps_[events_ + thread] = StepInfo();
  } else {
    std::fill(steps_.begin() + events_, steps_.end(), StepInfo());
  }
  pending_.clear();
  cleared_at_ = events_;
}

ObjectId RunOrder::ObjectOf(OpKind kind, ObjectId object) {
  if (!IsPortOperation(kind)) return object;
  if (ports_ == kNoObject) ports_ = FirstOf(ObjectKind::kPorts, trace_.objects);
  return ports_;
}

void RunOrder::FollowIo(StepInfo* step, ObjectId object) {
  const ObjectKind kind = trace_.objects[object].kind;
  step->is_on_channel = kind == ObjectKind::kChannel || kind == ObjectKind::kChannels;
  if (!step->is_on_channel) return;
  if (kind == ObjectKind::kChannels) {  // the others are links
    step->object = trace_.objects[object].FirstOfList();
    step->is_on_list = true;
    is_plain_ = false;
  }
  if (io_ == kNoObject) io_ = FirstOf(ObjectKind::kIo, trace_.objects);
  step->second = io_;
}

// What few kinds of events have.
void RunOrder::FollowOdd(const Event& event, StepInfo* step) {
  step->object = ObjectOf(event.kind, event.object);
  if (event.kind == OpKind::kWait || event.kind == OpKind::kOnceDone) {
    step->second = static_cast<ObjectId>(event.value);
  }
  if (IsIo(event.kind)) {
    FollowIo(step, event.object);
    step->found = event.order;
    step->left = event.size;
  }
  step->on_binary = trace_.objects[event.object].kind == ObjectKind::kBinarySemaphore;
  // A sleeper that was woken goes on at once: nobody decided that.
  if (event.kind == OpKind::kWake && (event.flags & Event::kTimedOut) == 0) {
    step->is_point = false;
    // It is part of what woke it: it must not stand between that and what races with it.
    if (!Failed(event.flags)) step->object = kNoObject;
  }
  // Whether time passed before a clock read is looked at by itself (HidesClock).
  if (IsPartOfTurnBefore(event.kind)) step->object = kNoObject;
  if (IsSentToThread(event.kind) && event.other != kNoThread && event.other != event.thread) {
    step->target = event.other;
    // What follows the thread's last turn at once, its end too, is part of that.
    Step last = threads_[event.other].last;
    while (last != kNone && !steps_[last].is_point) last = steps_[last].previous;
    step->aimed_at = last;
  }
}

// How much time has passed is what its time-out changes.
void RunOrder::FollowTimed(StepInfo* step) {
  if (!MayLetTimePass(step->kind) || step->object == kNoObject) return;
  if (clock_ == kNoObject) clock_ = FirstOf(ObjectKind::kClock, trace_.objects);
  step->second = clock_;
}

// Another size than the object had so far, or more than the object.
void RunOrder::MeetSize(const Event& event, ObjectState* object) {
  if (trace_.objects[event.object].kind != ObjectKind::kMemory) return;
  if (object->size == 0) object->size = event.size;
  const bool spans = (event.flags & Event::kSpans) != 0;
  is_plain_ = is_plain_ && !spans && object->size == event.size;
}

// From `thread` on.
void RunOrder::CopyTail(const Event& event, StepInfo* step) {
  constexpr std::size_t kFrom = offsetof(Event, thread), kTo = offsetof(StepInfo, thread);
  constexpr std::size_t kSize = sizeof(Event) - kFrom;
  static_assert(offsetof(Event, other) - kFrom == offsetof(StepInfo, other) - kTo);
  static_assert(offsetof(Event, kind) - kFrom == offsetof(StepInfo, kind) - kTo);
  static_assert(offsetof(Event, size) - kFrom == offsetof(StepInfo, left) - kTo);
  static_assert(offsetof(Event, order) - kFrom == offsetof(StepInfo, found) - kTo);
  static_assert(offsetof(Event, flags) - kFrom == offsetof(StepInfo, flags) - kTo);
  std::memcpy(reinterpret_cast<char*>(step) + kTo, reinterpret_cast<const char*>(&event) + kFrom,
              kSize);
}

// Does what FollowEvent does, where there is little to do; false: there is more.
bool RunOrder::FollowQuickly(Step i, Tables* tables) {
  constexpr std::uint8_t kUnusual = Event::kFailed | Event::kTimedOut | Event::kSpans;
  const Event& event = tables->events[i];
  const KindTraits& traits = TraitsOf(event.kind);
  ThreadState& thread = tables->threads[event.thread];
  ObjectState& object = tables->objects[event.object];
  StepInfo& step = tables->steps[i];
  const bool is_quick = traits.is_quick && thread.is_calm && (event.flags & kUnusual) == 0 &&
                        event.size == object.size && event.object != kNoObject;
  if (__builtin_expect(!is_quick, 0)) return false;
  if (__builtin_expect(!step.is_quick, 0)) step = StepInfo();  // of another run
  // All else of what was before is in the step.
  tables->before[i].object.group_before = object.group_before;
  tables->before[i].object.access = object.access;
  const Step group = Commute(traits.access, object.access) ? object.group_before : object.last;
  step.lock = object.lock;
  CopyTail(event, &step);
  step.object = event.object;
  step.is_point = traits.is_point;
  step.previous = thread.last;
  step.nth = thread.events;
  step.start_end = thread.last + 1;  // behind kNone is 0: nothing comes before that
  step.before[0] = object.last;
  step.group_before[0] = group;
  Step end = std::max(step.start_end, group + 1);
  step.joined = kNone;
  if (event.kind == OpKind::kJoin && event.other != kNoThread) {
    step.joined = tables->threads[event.other].last;
    end = std::max(end, step.joined + 1);
  }
  step.past_end = end;
  thread.last = i;
  ++thread.events;
  object.last = i;
  object.group_before = group;
  object.access = traits.access;
  tables->points[tables->point_count] = i;
  tables->point_count += traits.is_point ? 1 : 0;
  return true;
}

// False: the run has to be followed in another way.
bool RunOrder::FollowEvent(Step i) {
  const Event& event = trace_.events[i];
  if (event.kind == OpKind::kPortReceive && sees_all_) {
    sees_all_ = false;
    return false;
  }
  const KindTraits& traits = TraitsOf(event.kind);
  StepInfo& step = steps_[i];
  step = StepInfo();
  step.is_quick = false;
  step.kind = event.kind;
  step.flags = event.flags;
  step.is_point = traits.is_point;
  step.value = event.value;
  step.thread = event.thread;
  step.object = event.object;
  if (traits.is_odd) FollowOdd(event, &step);
  if ((event.flags & Event::kMayTimeOut) != 0) FollowTimed(&step);
  const bool hides = (event.kind == OpKind::kKill && step.target != kNoThread) ||
                     IsCancelledWait(event) || (event.flags & Event::kUnseen) != 0;
  if (hides && first_hidden_ == kNone) first_hidden_ = i;
  NoteClock(i);
  ObjectState& object = objects_[step.object];
  before_[i].thread = threads_[step.thread];
  before_[i].object = object;
  Enter(i, Happened::kYes);
  FollowState(i);
  undoable_ = i + 1;
  if (step.is_point || step.waker != kNone || step.kind == OpKind::kHandler) {
    points_[point_count_++] = i;
  }
  if (!sees_all_) FollowMessages(i);
  const bool is_new = event.size != object.size || (event.flags & Event::kSpans) != 0;
  if (is_new && step.object != kNoObject) MeetSize(event, &object);
  return is_plain_ || !links_from_.empty();
}

void RunOrder::AddPending(ThreadId thread) {
  const PendingOp& op = trace_.threads[thread].pending;
  StepInfo& step = steps_[events_ + thread];
  pending_.push_back(thread);
  step.is_quick = false;
  step.kind = op.kind;
  step.thread = thread;
  step.object = ObjectOf(op.kind, op.object);
  if (!IsPortOperation(op.kind)) step.second = op.second;
  if (IsIo(op.kind)) {
    FollowIo(&step, op.object);
    step.found = op.order;
  }
  step.is_point = IsPoint(op.kind);
  step.on_binary = trace_.objects[op.object].kind == ObjectKind::kBinarySemaphore;
  step.flags = op.flags;
  Enter(events_ + thread, Happened::kNo);
}

void RunOrder::Enter(Step i, Happened happened) {
  StepInfo& step = steps_[i];
  const ThreadState& thread = threads_[step.thread];
  step.previous = thread.last;
  step.nth = thread.events;
  const bool timed_out = step.kind == OpKind::kWake && (step.flags & Event::kTimedOut) != 0;
  if (!timed_out) step.waker = thread.waker;
  step.disturbed_by = thread.disturbed_by;
  if (thread.last == kNone) step.creator = thread.creator;
  // Behind kNone is 0: nothing comes before that.
  step.start_end = std::max({step.previous + 1, step.creator + 1, step.waker + 1});
  Step end = std::max(step.start_end, step.disturbed_by + 1);
  if (step.kind == OpKind::kJoin && happened == Happened::kYes) {
    const ThreadId joined = trace_.events[i].other;
    if (joined != kNoThread) step.joined = threads_[joined].last;
    end = std::max(end, step.joined + 1);
  }
  if (step.object != kNoObject) {
    Touch(i, 0, step.object, happened);
    end = std::max(end, step.group_before[0] + 1);
  }
  if (__builtin_expect(step.second != kNoObject, 0)) {
    Touch(i, 1, step.second, happened);
    end = std::max(end, step.group_before[1] + 1);
  }
  if (__builtin_expect(!links_from_.empty(), 0)) {
    TouchLinks(i);
    for (const Link& link : LinksOf(i)) end = std::max(end, link.group_before + 1);
  }
  if (__builtin_expect(step.target != kNoThread, 0)) end = std::max(end, step.aimed_at + 1);
  const bool is_behind_all =
      step.kind == OpKind::kProcessExit || (happened == Happened::kNo && last_ != kNone);
  step.past_end = is_behind_all ? std::min(i, events_) : end;
}

void RunOrder::Touch(Step i, int slot, ObjectId object, Happened happened) {
  ObjectState& state = objects_[object];
  StepInfo& step = steps_[i];
  step.before[slot] = state.last;
  if (slot == 0) step.lock = state.lock;
  const AccessMode access = slot == 0 ? step.access() : SecondAccessOf(step.kind);
  step.group_before[slot] = Commute(access, state.access) ? state.group_before : state.last;
  if (happened == Happened::kNo) return;
  if (slot != 0) object_log_.push_back({i, object, state});
  state.last = i;
  state.group_before = step.group_before[slot];
  state.access = access;
}

// What the event changes for later ones: who sleeps, who holds, who was made.
void RunOrder::FollowState(Step i) {
  StepInfo& step = steps_[i];
  const Event& event = trace_.events[i];
  ThreadState& self = threads_[step.thread];
  self.last = i;
  ++self.events;
  self.waker = kNone;
  self.asleep_on = kNoObject;
  self.disturbed_by = kNone;
  self.is_calm = true;
  const auto acquire = [&](ObjectId mutex) {
    ObjectState& state = objects_[mutex];
    state.lock.holder = step.thread;
    ++state.depth;
  };
  const auto wake_all = [&](ObjectId queue) {
    for (ThreadId t = 0; t < threads_.size(); ++t) {
      if (threads_[t].asleep_on != queue) continue;
      ThreadState& thread = ChangeOther(t, i);
      thread.waker = i;
      // A futex wake-up may leave sleepers asleep; those it reaches go on at once.
      if (step.kind == OpKind::kBroadcast) thread.asleep_on = kNoObject;
    }
  };
  switch (step.kind) {
    case OpKind::kProcessExit:
      self.exits = true;
      for (ThreadId t = 0; t < threads_.size(); ++t) {
        if (t != step.thread) ChangeOther(t, i).disturbed_by = i;
      }
      break;
    case OpKind::kCancel:
    case OpKind::kKill:
      if (step.target != kNoThread) ChangeOther(step.target, i).disturbed_by = i;
      break;
    case OpKind::kCreate:
      if (event.other != kNoThread) ChangeOther(event.other, i).creator = i;
      break;
    case OpKind::kLock:
    case OpKind::kTryLock:
    case OpKind::kTryWriteLock:
      if (!Failed(step.flags) && step.object != kNoObject) acquire(step.object);
      break;
    case OpKind::kQueueWriter:  // gets it, or stands in the queue
      if (step.object == kNoObject) break;
      if (Failed(step.flags)) {
        ++objects_[step.object].lock.queued;
      } else {
        acquire(step.object);
      }
      break;
    case OpKind::kWriteLock:
      if (step.object == kNoObject) break;
      if (objects_[step.object].lock.queued > 0) --objects_[step.object].lock.queued;
      if (!Failed(step.flags)) acquire(step.object);
      break;
    case OpKind::kReadLock:
    case OpKind::kTryReadLock:
      if (!Failed(step.flags) && step.object != kNoObject) ++objects_[step.object].lock.readers;
      break;
    case OpKind::kReadUnlock:
      if (step.object != kNoObject && objects_[step.object].lock.readers > 0) {
        --objects_[step.object].lock.readers;
      }
      break;
    case OpKind::kUnlock:
    case OpKind::kWriteUnlock:
      if (!Failed(step.flags) && step.object != kNoObject) {
        ObjectState& state = objects_[step.object];
        if (state.depth > 0) --state.depth;
        if (state.depth == 0) state.lock.holder = kNoThread;
      }
      break;
    case OpKind::kOwnerDied:
      objects_[step.object].lock.holder = kNoThread;
      objects_[step.object].depth = 0;
      break;
    case OpKind::kWait:
      self.asleep_on = step.object;
      self.is_calm = false;
      if (step.second != kNoObject) {
        objects_[step.second].lock.holder = kNoThread;
        objects_[step.second].depth = 0;
      }
      break;
    case OpKind::kFutexWait:
      if (Failed(step.flags)) break;
      self.asleep_on = step.object;
      self.is_calm = false;
      break;
    case OpKind::kSignal:
      if (event.other != kNoThread) {
        ThreadState& woken = ChangeOther(event.other, i);
        woken.waker = i;
        woken.asleep_on = kNoObject;
      }
      break;
    case OpKind::kBroadcast:
    case OpKind::kFutexWake:
      if (step.object != kNoObject) wake_all(step.object);
      break;
    case OpKind::kPortReceive:  // a synchronous sender goes on
      if (event.other != kNoThread && trace_.objects[event.object].kind == ObjectKind::kSyncPort) {
        ChangeOther(event.other, i).waker = i;
      }
      break;
    case OpKind::kOnce:
      if (step.object != kNoObject && !objects_[step.object].once_done) {
        step.begins = true;
        objects_[step.object].once_begun = i;
      }
      break;
    case OpKind::kOnceDone:
      if (step.object != kNoObject) objects_[step.object].once_done = true;
      break;
    default:
      break;
  }
}

}  // namespace heddle
