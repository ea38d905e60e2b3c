#include "runtime/scheduler/recorder.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/hash.h"
#include "base/raw_syscall.h"
#include "runtime/scheduler/stacks.h"

namespace heddle {
namespace {

template <typename T>
void Populate(T* area, std::uint64_t from, std::uint64_t to) {
  constexpr long kPage = 4096;
  const long begin = reinterpret_cast<long>(area + from) & -kPage;
  const long end = reinterpret_cast<long>(area + to) & -kPage;
  // Older kernels do not know it, and then the pages come one by one.
  if (end > begin) RawSyscall(SYS_madvise, begin, end - begin, MADV_POPULATE_WRITE);
}

// Frames that the events leave to what is captured at the end: where every thread was.
constexpr std::uint32_t kFramesOfThreads = kMaxThreads * kMostFrames;
static_assert(kFramesOfThreads <= kMaxFrames / 2);

// An object whose record did not fit is none to the reader.
ObjectId Storable(ObjectId id) { return id < kMaxObjects ? id : kNoObject; }

}  // namespace

void Recorder::Forget(Channel* channel) {
  channel->event_count = 0;
  channel->decision_count = 0;
  channel->thread_count = 0;
  channel->frame_count = 0;
  channel->has_thread_stacks = 0;
  channel->has_event_stacks = 0;
  channel->object_count = 1;
  channel->widened = 0;
  channel->heartbeat.store(0, std::memory_order_relaxed);
}

void Recorder::Begin(Channel* channel) {
  if (channel_ != nullptr) *this = Recorder();
  channel_ = channel;
  const Layout layout = LayoutFor(channel->config.max_events);
  event_area_ = AreaOf<Event>(channel, layout.events);
  decision_area_ = AreaOf<DecisionRecord>(channel, layout.decisions);
  object_area_ = AreaOf<ObjectRecord>(channel, layout.objects);
  thread_area_ = AreaOf<ThreadRecord>(channel, layout.threads);
  event_stack_area_ = AreaOf<StackRecord>(channel, layout.event_stacks);
  thread_stack_area_ = AreaOf<StackRecord>(channel, layout.thread_stacks);
  frame_area_ = AreaOf<std::uint64_t>(channel, layout.frames);
  capacity_ = channel->config.max_events;
  detail_ = channel->request.detail != 0;
  if (channel->request.coverage != 0) {
    coverage_ = AreaOf<PairCoverage>(channel, layout.coverage) +
                std::min(channel->record_count, kMaxBatch - 1);
    *coverage_ = PairCoverage();
  }
  Forget(channel);
  channel->has_event_stacks = detail_ ? 1 : 0;
  StoreObjectsUpTo(Objects::Count() - 1);
  SetUsualUntil();
}

// Objects are made when they are announced, but named here in the order of events: all that were
// made so far.
void Recorder::StoreNewObjects(ObjectId last) {
  while (channel_->object_count <= last && channel_->object_count < kMaxObjects) {
    StoreNewObject(*Objects::ById(channel_->object_count));
  }
  truncated_ |= last >= kMaxObjects;
}

void Recorder::StoreNewObject(const Object& object) {
  const ObjectId id = object.id;
  const bool is_next = id == channel_->object_count && id < kMaxObjects;
  if (__builtin_expect(!is_next, 0)) return StoreNewObjects(id);
  object_area_[id] = {.address = object.first_byte(),
                      .key = object.key,
                      .allocation_site = object.allocation_site,
                      .offset = object.offset,
                      .kind = object.kind,
                      .size = object.byte_count(),
                      .noted = object.noted};
  channel_->object_count = id + 1;
  if (__builtin_expect(id + 1 == kMaxObjects, 0)) SetUsualUntil();
}

void Recorder::Widen(const Object& object) {
  if (channel_ == nullptr || object.id >= channel_->object_count) return;
  ObjectRecord& record = object_area_[object.id];
  record.address = object.first_byte();
  record.offset = object.offset;
  record.size = object.byte_count();
  channel_->widened = 1;
}

void Recorder::StoreExtents() {
  if (channel_->widened == 0) return;
  for (ObjectId id = 1; id < channel_->object_count; ++id) Widen(*Objects::ById(id));
  channel_->widened = 0;
}

void Recorder::MakeRoomForEvents(std::uint64_t index) {
  Populate(event_area_, index, std::min(index + kAhead, capacity_));
}

void Recorder::StoreStackOf(std::uint64_t index, std::uint64_t site) {
  const bool has_room = channel_->frame_count < kMaxFrames - kFramesOfThreads - kMostFrames;
  event_stack_area_[index] = has_room    ? CaptureInto(this, site)
                             : site == 0 ? StackRecord()
                                         : StoreStack(&site, 1);
}

void Recorder::SetUsualUntil() {
  usual_until_ = 0;
  if (channel_ == nullptr || detail_ || coverage_ != nullptr || failed_ != nullptr) return;
  if (channel_->object_count >= kMaxObjects) return;
  usual_until_ = std::min({events_ / kAhead * kAhead + kAhead, capacity_, limit_});
}

Event* Recorder::AddUnusual(Thread* thread, const PendingOp& op, Object* object, Object* second) {
  if (channel_ == nullptr) return &spare_;
  const std::uint64_t index = events_;
  if (coverage_ != nullptr && object != nullptr) {
    const std::uint64_t identity = EventIdentity(thread->path_hash, thread->events);
    coverage_->Add(identity, op.kind, object->order);
    const bool changes_both = SecondAccessOf(op.kind) == AccessMode::kAlone;
    if (second != nullptr && changes_both) coverage_->Add(identity, op.kind, second->order);
  }
  const bool is_stored = index < capacity_ && (object == nullptr || object->id < kMaxObjects);
  if (!is_stored) EventHash();
  const bool failed = &op == failed_;
  FoldAs(failed ? FailedAccessOf(op.kind) : AccessOf(op.kind), thread, op.kind, object, second);
  Event* event = &spare_;
  if (index < capacity_) {
    if (index % kAhead == 0 && index != 0) MakeRoomForEvents(index);
    event = &event_area_[index];
    channel_->event_count = static_cast<std::uint32_t>(events_);
  } else {
    truncated_ = true;
  }
  Store(*thread, op, object == nullptr ? kNoObject : Storable(object->id), 0, kNoThread, event);
  if (!is_stored) HashEvent(thread->id, op.kind, object == nullptr ? kNoObject : object->id);
  if (detail_ && index < capacity_) StoreStackOf(index, op.site);
  SetUsualUntil();
  return event;
}

void Recorder::HashEvent(ThreadId thread, OpKind kind, ObjectId object) {
  const std::uint64_t what =
      static_cast<std::uint64_t>(thread) << 40 | static_cast<std::uint64_t>(kind) << 32 | object;
  const std::uint64_t hash = (event_hash_ ^ what) * 0x9fb21c651e98df25ull;
  event_hash_ = hash ^ hash >> 29;
  ++hashed_events_;
}

void Recorder::HashDecision(std::uint64_t options, std::uint64_t chosen) {
  event_hash_ = (event_hash_ ^ (options << 16 | chosen)) * 0x9fb21c651e98df25ull;
  ++hashed_decisions_;
}

std::uint64_t Recorder::EventHash() {
  for (;;) {
    if (hashed_decisions_ < decisions_) {
      const DecisionRecord& decision = decision_area_[hashed_decisions_];
      if (decision.event == hashed_events_) {
        HashDecision(decision.options, decision.chosen);
        continue;
      }
    }
    if (hashed_events_ == events_) return event_hash_;
    const Event& event = event_area_[hashed_events_];
    HashEvent(event.thread, event.kind, event.object);
  }
}

void Recorder::AlsoTouches(const Thread& thread, OpKind kind, AccessMode access, Object* object) {
  if (channel_ == nullptr) return;
  const std::uint64_t identity = EventIdentity(thread.path_hash, thread.events - 1);
  if (coverage_ != nullptr) coverage_->Add(identity, kind, object->order);
  class_hash_.Add(identity, kind, access, object->key, object->order);
}

void Recorder::Woke(const Thread& thread, const Thread& woken) {
  if (channel_ == nullptr) return;
  class_hash_.AddWoken(EventIdentity(thread.path_hash, thread.events - 1), woken.path_hash);
}

void Recorder::Aimed(const Thread& thread, const Thread& target) {
  if (channel_ == nullptr) return;
  class_hash_.AddWoken(EventIdentity(thread.path_hash, thread.events - 1),
                       EventIdentity(target.path_hash, target.events));
}

void Recorder::Add(const Decision& decision, std::size_t chosen, std::uint64_t among,
                   bool current_enabled) {
  const Option& option = decision.options[chosen];
  const std::uint64_t index = decisions_;
  if (decision.kind == DecisionKind::kThread && current_enabled &&
      option.thread != decision.current) {
    ++preemptions_;
  }
  if (index >= capacity_) {
    truncated_ = true;
    EventHash();
    HashDecision(decision.options.size(), chosen);
    ++decisions_;
    return;
  }
  if (index % kAhead == 0 && index != 0) {
    Populate(decision_area_, index, std::min(index + kAhead, capacity_));
  }
  decision_area_[index] = {.event = static_cast<std::uint32_t>(events_),
                           .options = static_cast<std::uint16_t>(decision.options.size()),
                           .chosen = static_cast<std::uint16_t>(chosen),
                           .thread = option.thread,
                           .current = decision.current,
                           .kind = decision.kind,
                           .outcome = option.outcome,
                           .current_enabled = current_enabled,
                           .among = among};
  channel_->decision_count = static_cast<std::uint32_t>(++decisions_);
}

void Recorder::AddThread(const Thread& thread) {
  if (channel_ == nullptr) return;
  // Made in place: a copy of one that was just made waits for its parts to be written.
  ThreadRecord& record = *new (&thread_area_[thread.id]) ThreadRecord();
  record.path_hash = thread.path_hash;
  record.start_routine = reinterpret_cast<std::uint64_t>(thread.routine);
  record.create_site = thread.create_site;
  record.parent = thread.parent;
  record.nth_child = thread.nth_child;
  if (thread.name[0] != '\0') SetName(thread);
  if (channel_->thread_count <= thread.id) channel_->thread_count = thread.id + 1u;
}

void Recorder::SetName(const Thread& thread) {
  if (channel_ == nullptr) return;
  std::memcpy(thread_area_[thread.id].name, thread.name, sizeof thread.name);
}

void Recorder::StorePending(ThreadId thread, const PendingOp& op, std::uint16_t expected,
                            bool enabled, bool stands) {
  // An operation that was never carried out may name an object that no event did.
  StoreObjectsUpTo(op.object);
  StoreObjectsUpTo(op.second);
  ThreadRecord& record = thread_area_[thread];
  record.pending = op;
  record.pending.object = Storable(op.object);
  record.pending.second = Storable(op.second);
  record.expected = expected;
  record.enabled = enabled;
  record.stands = stands;
}

StackRecord Recorder::StoreStack(const std::uint64_t* frames, std::uint32_t count) {
  const std::uint32_t first = channel_->frame_count;
  if (count > kMaxFrames - first) {
    truncated_ = true;
    return {};
  }
  std::memcpy(frame_area_ + first, frames, count * sizeof frames[0]);
  channel_->frame_count = first + count;
  return {first, count};
}

void Recorder::SetThreadStack(ThreadId thread, StackRecord stack) {
  if (channel_->has_thread_stacks == 0) {
    std::fill_n(thread_stack_area_, channel_->thread_count, StackRecord());
    channel_->has_thread_stacks = 1;
  }
  thread_stack_area_[thread] = stack;
}

void Recorder::Finish(RunRecord* record) {
  record->events = events_;
  record->decisions = decisions_;
  record->preemptions = preemptions_;
  record->class_hash = class_hash_.value();
  record->truncated = truncated_;
}

}  // namespace heddle
