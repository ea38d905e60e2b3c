#include "strategy/syn_reader.h"

#include <algorithm>

namespace heddle {

using reach::kNone;
using reach::Operation;

namespace {

bool IsPort(ObjectKind kind) {
  return kind == ObjectKind::kAsyncPort || kind == ObjectKind::kBoundedPort ||
         kind == ObjectKind::kSyncPort;
}

}  // namespace

void SynReader::Uncovered(std::string_view what) {
  if (!uncovered_.contains(std::string(what))) uncovered_.emplace(what);
}

void SynReader::Begin() {
  blocked_ = diverged_ = false;
  new_racy_.clear();
  greedy_.clear();
  if (threads_.size() < trace_->threads.size()) threads_.resize(trace_->threads.size());
  for (std::size_t t = 0; t < trace_->threads.size(); ++t) {
    threads_[t].queued = false;
    threads_[t].open.clear();
    threads_[t].pipe = kNoObject;
    threads_[t].no_more_written.clear();
  }
  if (objects_.size() < trace_->objects.size()) objects_.resize(trace_->objects.size());
  for (std::size_t object = 0; object < trace_->objects.size(); ++object) {
    objects_[object].used = false;
  }
}

SynReader::ObjectState& SynReader::StateOf(ObjectId object) {
  ObjectState& state = objects_[object];
  if (!state.used) {
    state.used = true;
    state.owner = state.receiver = kNoThread;
    state.depth = state.admitted = 0;
    state.releases.clear();
    state.messages.clear();
    state.waiters.clear();
    state.bytes = state.count = 0;
    state.last_write = Access();
    state.reads.clear();
    state.read_end_closed = false;
  }
  return state;
}

bool SynReader::Intern() {
  const std::size_t threads = trace_->threads.size();
  for (std::size_t t = 0; t < threads; ++t) {
    threads_[t].index = names_->threads.Of(trace_->threads[t].path_hash);
  }
  owner_of_object_.assign(trace_->objects.size(), kNone);
  const auto intern = [&](ObjectId object) {
    if (object == kNoObject || owner_of_object_[object] != kNone) return;
    owner_of_object_[object] = names_->owners.Of(trace_->objects[object].key);
  };
  bool has_accesses = false;
  for (const Event& event : trace_->events) {
    const SynRole role = SynOpOf(event.kind).role;
    if (IsQuiet(event.kind, event.object)) {
      has_accesses = true;
      continue;
    }
    if (role == SynRole::kCall || role == SynRole::kWait) intern(event.object);
    if (event.kind == OpKind::kPortOpen) {
      const PipeUse use = PipeUseOf(event);
      if (use != PipeUse::kNone) intern(event.object);
      if (TakesCount(use)) StateOf(event.object).count = event.value;
      if (use != PipeUse::kNone && !Takes(use)) continue;
      ThreadId& receiver = StateOf(event.object).receiver;
      if (receiver != kNoThread && receiver != event.thread) Uncovered("several readers of a pipe");
      receiver = event.thread;
      names_->owners.Of(ReceiverKey(trace_->threads[event.thread].path_hash));
    }
  }
  for (const ThreadRecord& thread : trace_->threads) {
    const SynRole role = SynOpOf(thread.pending.kind).role;
    if (role != SynRole::kCall && role != SynRole::kWait) continue;
    if (thread.ended != 0 || IsQuiet(thread.pending.kind, thread.pending.object)) continue;
    intern(thread.pending.object);
  }
  object_of_owner_.assign(names_->owners.size(), kNoObject);
  for (ObjectId object = 1; object < owner_of_object_.size(); ++object) {
    if (owner_of_object_[object] != kNone) object_of_owner_[owner_of_object_[object]] = object;
  }
  thread_of_index_.assign(names_->threads.size(), kNoThread);
  for (std::size_t t = 0; t < threads; ++t) {
    thread_of_index_[threads_[t].index] = static_cast<ThreadId>(t);
  }
  return has_accesses;
}

SynReader::Index SynReader::OwnerOfReceiver(ThreadId thread) const {
  if (thread == kNoThread) return kNone;
  return names_->owners.Find(ReceiverKey(trace_->threads[thread].path_hash));
}

void SynReader::Read(const RunTrace& trace, const reach::Variant& variant, SynNames* names,
                     reach::Sequence* sequence) {
  trace_ = &trace;
  variant_ = &variant;
  names_ = names;
  sequence_ = sequence;
  Begin();
  const bool has_accesses = Intern();
  const Index threads = names->threads.size();
  const Index owners = names->owners.size();
  // Whether accesses race is seen by the threads' clocks.
  const reach::Scheme scheme =
      has_accesses ? reach::Scheme::kThreadCentric : reach::SmallerScheme(threads, owners);
  sequence->Reset({.threads = threads, .owners = owners, .scheme = scheme});
  for (const DecisionRecord& decision : trace.decisions) {
    if (decision.kind == DecisionKind::kOutcome) Uncovered("an operation with several outcomes");
  }
  std::size_t i = 0;
  while (i < trace.events.size() && ReadEvent(trace.events[i])) ++i;
  CheckPipes();
  ReadPending(i);
  for (Index owner = 0; owner < variant.owners.size(); ++owner) {
    if (sequence->ReceivesOf(owner).size() < variant.owners[owner].fixed) diverged_ = true;
  }
}

// Whether the variant lets the owner take that send; sets what follows if not.
bool SynReader::Permits(Index owner, const reach::SendName& send) {
  const auto received = static_cast<Index>(sequence_->ReceivesOf(owner).size());
  if (reach::Allows(*variant_, owner, received, send)) return true;
  if (received < variant_->PartnersOf(owner).size()) {
    diverged_ = true;
  } else {
    blocked_ = true;
  }
  return false;
}

bool SynReader::ReadEvent(const Event& event) {
  const SynOp& op = SynOpOf(event.kind);
  if (!op.uncovered.empty()) Uncovered(op.uncovered);
  if ((event.flags & (Event::kTimedOut | Event::kMayTimeOut)) != 0) {
    Uncovered("an operation that may time out");
  }
  switch (op.role) {
    case SynRole::kLocal:
      Local(event);
      return true;
    case SynRole::kCall:
      if (IsQuiet(event.kind, event.object)) {
        LookForRace(event);
        return true;
      }
      if (event.kind == OpKind::kDestroy && IsPort(trace_->objects[event.object].kind)) {
        Uncovered("the closing of a port");
      }
      if (event.kind == OpKind::kSignal || event.kind == OpKind::kBroadcast) return Signal(event);
      return Call(event.thread, event.object, op.operation, event);
    case SynRole::kWait:
      return Wait(event);
    case SynRole::kSend:
      Send(event);
      return true;
    case SynRole::kReceive:
      return Receive(event);
    case SynRole::kPipe:
      return Pipe(event);
  }
  return true;
}

// What the object could complete just before this.
void SynReader::OpenList(ObjectId object, Operation operation, const Event& event) {
  open_.clear();
  switch (operation) {
    case Operation::kP:
    case Operation::kV:
      if (trace_->objects[object].kind == ObjectKind::kBinarySemaphore) {
        open_.push_back({object, operation});
      } else {
        // The event carries the value afterwards.
        const std::uint64_t before = operation == Operation::kP ? event.value + 1 : event.value - 1;
        open_.push_back({object, Operation::kV});
        if (before > 0) open_.push_back({object, Operation::kP});
      }
      break;
    case Operation::kLock:
    case Operation::kUnlock: {
      const ObjectState& state = StateOf(object);
      const bool owned = state.owner != kNoThread;
      const Index by = owned ? threads_[state.owner].index : kNone;
      open_.push_back({object, Operation::kLock, by});
      if (owned) open_.push_back({object, Operation::kUnlock, by});
      break;
    }
    default:
      open_.push_back({object_of_owner_[OwnerOf(object)], operation});
  }
}

void SynReader::Apply(ThreadId thread, ObjectId object, Operation operation, const Event& event) {
  const bool takes = operation == Operation::kLock ||
                     (event.kind == OpKind::kTryLock && (event.flags & Event::kFailed) == 0);
  if (!takes && operation != Operation::kUnlock) return;
  ObjectState& state = StateOf(object);
  if (takes) {
    state.owner = thread;
    ++state.depth;
  } else if (event.kind == OpKind::kWait || state.depth <= 1) {
    // A wait gives a recursive mutex up as a whole.
    state.owner = kNoThread;
    state.depth = 0;
  } else {
    --state.depth;
  }
}

bool SynReader::Call(ThreadId t, ObjectId object, Operation operation, const Event& event) {
  if (object == kNoObject) return true;
  ThreadState& thread = threads_[t];
  const Index owner = OwnerOf(object);
  const auto number = static_cast<Index>(sequence_->SendsOf(thread.index).size());
  if (!Permits(owner, {thread.index, number})) return false;
  thread.queued = false;
  // Neighbours in a word of memory have one name: they are one owner, and one object to it.
  const ObjectId name = object_of_owner_[owner];
  const Index send = sequence_->AddSend(thread.index, name, owner, operation, reach::Order::kNone);
  if (event.kind == OpKind::kPortPut) {
    ObjectState& state = StateOf(object);
    const auto room = static_cast<Index>(event.value);
    if (state.admitted >= room && state.admitted - room < state.releases.size()) {
      sequence_->OwnerLearnsReceive(owner, state.releases[state.admitted - room]);
    }
    ++state.admitted;
  }
  OpenList(object, operation, event);
  sequence_->AddReceive(owner, send, open_, kNone);
  sequence_->ThreadLearnsOwner(thread.index, owner);
  Apply(t, object, operation, event);
  return true;
}

// Three sends: the call of the condition, the wish to be woken, which a signal receives, and the
// unlock of the mutex.
bool SynReader::Wait(const Event& event) {
  if (!Call(event.thread, event.object, Operation::kTouch, event)) return false;
  const Index send =
      sequence_->AddSend(threads_[event.thread].index, event.object, OwnerOf(event.object),
                         Operation::kWake, reach::Order::kNone);
  StateOf(event.object).waiters.push_back({event.thread, send});
  const auto mutex = static_cast<ObjectId>(event.value);
  if (mutex < owner_of_object_.size() && owner_of_object_[mutex] != kNone &&
      !Call(event.thread, mutex, Operation::kUnlock, event)) {
    return false;
  }
  threads_[event.thread].queued = true;
  return true;
}

// The call of the condition, and a receive for everyone who is woken.
bool SynReader::Signal(const Event& event) {
  if (!Call(event.thread, event.object, Operation::kTouch, event)) return false;
  std::vector<Waiter>& waiters = StateOf(event.object).waiters;
  if (event.kind == OpKind::kBroadcast) {
    // All are woken, whatever the order: it is no race.
    while (!waiters.empty()) {
      const Waiter waiter = waiters.front();
      waiters.erase(waiters.begin());
      if (!Wake(event, waiter, waiter.thread)) return false;
    }
    return true;
  }
  if (event.other == kNoThread) return true;
  const auto woken = std::find_if(waiters.begin(), waiters.end(),
                                  [&](const Waiter& w) { return w.thread == event.other; });
  if (woken == waiters.end()) return true;
  const Waiter waiter = *woken;
  waiters.erase(woken);
  return Wake(event, waiter, kNoThread);
}

// Which waiter a signal wakes is a race of the waiters for it, unless it can be `only` one.
bool SynReader::Wake(const Event& event, const Waiter& waiter, ThreadId only) {
  const Index owner = OwnerOf(event.object);
  if (!Permits(owner, sequence_->NameOfSend(waiter.send))) return false;
  open_.assign(1,
               {event.object, Operation::kWake, only == kNoThread ? kNone : threads_[only].index});
  sequence_->AddReceive(owner, waiter.send, open_, threads_[event.thread].index);
  Notify(waiter.thread, owner);
  return true;
}

void SynReader::Notify(ThreadId woken, Index owner) {
  threads_[woken].queued = false;
  sequence_->ThreadLearnsOwner(threads_[woken].index, owner);
}

void SynReader::Send(const Event& event) {
  const ThreadState& thread = threads_[event.thread];
  ObjectState& port = StateOf(event.object);
  const ObjectKind kind = trace_->objects[event.object].kind;
  const reach::Order order = kind == ObjectKind::kBoundedPort ? reach::Order::kPerPort
                             : kind == ObjectKind::kSyncPort  ? reach::Order::kNone
                                                              : reach::Order::kPerSender;
  const Index owner = OwnerOfReceiver(port.receiver);
  port.messages.push_back(
      {sequence_->AddSend(thread.index, event.object, owner, Operation::kSend, order)});
}

bool SynReader::Receive(const Event& event) {
  ThreadState& thread = threads_[event.thread];
  ObjectState& port = StateOf(event.object);
  if (event.other == kNoThread) return true;
  const auto at =
      std::find_if(port.messages.begin(), port.messages.end(), [&](const Message& message) {
        return sequence_->sends()[message.send].thread == threads_[event.other].index;
      });
  const Index owner = OwnerOfReceiver(event.thread);
  if (at == port.messages.end() || owner == kNone) {
    diverged_ = true;
    return false;
  }
  const Index send = at->send;
  if (!Permits(owner, sequence_->NameOfSend(send))) return false;
  port.messages.erase(at);
  const Index receive = sequence_->AddReceive(owner, send, thread.open, thread.index);
  thread.open.clear();
  const ObjectKind kind = trace_->objects[event.object].kind;
  if (kind == ObjectKind::kSyncPort) {
    sequence_->ThreadLearnsOwner(threads_[event.other].index, owner);
  } else if (kind == ObjectKind::kBoundedPort) {
    port.releases.push_back(receive);
  }
  return true;
}

// No SYN-event, but somebody may learn from somebody.
void SynReader::Local(const Event& event) {
  ThreadState& thread = threads_[event.thread];
  switch (event.kind) {
    case OpKind::kCreate:
      if (event.other != kNoThread) {
        sequence_->ThreadLearnsThread(threads_[event.other].index, thread.index);
      }
      break;
    case OpKind::kJoin:
      if (event.other != kNoThread) {
        sequence_->ThreadLearnsThread(thread.index, threads_[event.other].index);
      }
      break;
    case OpKind::kProcessExit:
      for (std::size_t t = 0; t < trace_->threads.size(); ++t) {
        if (t != event.thread && trace_->threads[t].ended == 0) {
          Uncovered("an exit while threads run");
        }
      }
      break;
    case OpKind::kPortOpen:
      if (PipeUseOf(event) != PipeUse::kNone) {
        OpenPipe(event);
        break;
      }
      thread.open.push_back({event.object, Operation::kSend});
      break;
    case OpKind::kLeave:
    case OpKind::kQueue:
    case OpKind::kNotify:
    case OpKind::kResume: {
      const Index monitor = OwnerOf(event.object);
      if (monitor == kNone) break;
      sequence_->OwnerLearnsThread(monitor, thread.index);
      sequence_->ThreadLearnsOwner(thread.index, monitor);
      if (event.kind == OpKind::kQueue) thread.queued = true;
      if (event.kind == OpKind::kResume) thread.queued = false;
      if (event.kind == OpKind::kNotify && event.other != kNoThread) Notify(event.other, monitor);
      break;
    }
    default:
      break;
  }
}

bool SynReader::IsQuiet(OpKind kind, ObjectId object) const {
  return IsPlainAccess(kind) && object != kNoObject &&
         !names_->racy.contains(trace_->objects[object].key);
}

// Two accesses race if neither happens before the other and one is a write.
void SynReader::LookForRace(const Event& event) {
  const Index self = threads_[event.thread].index;
  ObjectState& state = StateOf(event.object);
  const auto races = [&](const Access& before) {
    return before.thread != kNone && before.thread != self &&
           sequence_->Seen(self, before.thread) < before.tick;
  };
  bool found = races(state.last_write);
  const Access access{self, sequence_->Tick(self)};
  if (event.kind == OpKind::kWrite) {
    found = found || std::any_of(state.reads.begin(), state.reads.end(), races);
    state.last_write = access;
    state.reads.clear();
  } else {
    std::erase_if(state.reads, [&](const Access& read) { return read.thread == self; });
    state.reads.push_back(access);
  }
  if (found) new_racy_.insert(trace_->objects[event.object].key);
}

void SynReader::AddPending(ThreadId t, OpKind kind, ObjectId object) {
  const SynOp& op = SynOpOf(kind);
  const ThreadState& thread = threads_[t];
  if (op.role == SynRole::kPipe && thread.pipe != kNoObject && OwnerOf(thread.pipe) != kNone &&
      (Puts(thread.use) || Counts(thread.use))) {
    const Operation operation = Puts(thread.use)         ? Operation::kPut
                                : TakesCount(thread.use) ? Operation::kP
                                                         : Operation::kV;
    sequence_->AddSend(thread.index, object_of_owner_[OwnerOf(thread.pipe)], OwnerOf(thread.pipe),
                       operation, reach::Order::kNone);
  }
  if (object == kNoObject || threads_[t].queued || IsQuiet(kind, object)) return;
  if (op.role == SynRole::kCall || op.role == SynRole::kWait) {
    sequence_->AddSend(threads_[t].index, object_of_owner_[OwnerOf(object)], OwnerOf(object),
                       op.operation, reach::Order::kNone);
  }
}

// What the threads had called when the reading ended at event `from`: the next event of each shows
// it, or what it never did.
void SynReader::ReadPending(std::size_t from) {
  seen_.assign(trace_->threads.size(), false);
  for (std::size_t i = from; i < trace_->events.size(); ++i) {
    const Event& event = trace_->events[i];
    if (seen_[event.thread]) continue;
    seen_[event.thread] = true;
    AddPending(event.thread, event.kind, event.object);
  }
  for (std::size_t t = 0; t < trace_->threads.size(); ++t) {
    const ThreadRecord& record = trace_->threads[t];
    if (seen_[t] || record.ended != 0) continue;
    AddPending(static_cast<ThreadId>(t), record.pending.kind, record.pending.object);
  }
}

}  // namespace heddle
