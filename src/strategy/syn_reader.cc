#include "strategy/syn_reader.h"

#include <algorithm>

namespace heddle {

using reach::kNone;
using reach::Operation;

SynReader::SynReader(const RunTrace& trace, const reach::Variant& variant, SynNames* names)
    : trace_(trace), variant_(variant), names_(names), threads_(trace.threads.size()) {
  Intern();
}

void SynReader::Intern() {
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    threads_[t].index = names_->threads.Of(trace_.threads[t].path_hash);
  }
  owner_of_object_.assign(trace_.objects.size(), kNone);
  const auto intern = [&](ObjectId object) {
    if (object == kNoObject || owner_of_object_[object] != kNone) return;
    owner_of_object_[object] = names_->owners.Of(trace_.objects[object].key);
  };
  for (const Event& event : trace_.events) {
    const SynRole role = SynOpOf(event.kind).role;
    if (role == SynRole::kCall || role == SynRole::kWait) intern(event.object);
    if (event.kind == OpKind::kPortOpen) {
      objects_[event.object].receiver = event.thread;
      names_->owners.Of(ReceiverKey(trace_.threads[event.thread].path_hash));
    }
  }
  for (const ThreadRecord& thread : trace_.threads) {
    const SynRole role = SynOpOf(thread.pending.kind).role;
    if (role != SynRole::kCall && role != SynRole::kWait) continue;
    if (thread.ended == 0) intern(thread.pending.object);
  }
  object_of_owner_.assign(names_->owners.size(), kNoObject);
  for (ObjectId object = 1; object < owner_of_object_.size(); ++object) {
    if (owner_of_object_[object] != kNone) object_of_owner_[owner_of_object_[object]] = object;
  }
  thread_of_index_.assign(names_->threads.size(), kNoThread);
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    thread_of_index_[threads_[t].index] = static_cast<ThreadId>(t);
  }
}

SynReader::Index SynReader::OwnerOfReceiver(ThreadId thread) const {
  if (thread == kNoThread) return kNone;
  return names_->owners.Find(ReceiverKey(trace_.threads[thread].path_hash));
}

void SynReader::Read(reach::Sequence* sequence) {
  sequence_ = sequence;
  const Index threads = names_->threads.size();
  const Index owners = names_->owners.size();
  sequence->Reset(
      {.threads = threads, .owners = owners, .scheme = reach::SmallerScheme(threads, owners)});
  std::size_t i = 0;
  for (; i < trace_.events.size(); ++i) {
    const Event& event = trace_.events[i];
    ObjectId mutex = kNoObject;
    if (event.kind == OpKind::kWait) {
      mutex = static_cast<ObjectId>(event.value);
      if (mutex >= owner_of_object_.size() || owner_of_object_[mutex] == kNone) mutex = kNoObject;
    }
    if (!ReadEvent(event, mutex)) break;
  }
  ReadPending(i);
  Index unread = 0;
  for (Index owner = 0; owner < variant_.owners.size(); ++owner) {
    const std::size_t fixed = variant_.PartnersOf(owner).size();
    if (sequence->ReceivesOf(owner).size() < fixed) ++unread;
  }
  if (unread > 0) diverged_ = true;
}

// Whether the variant lets the owner take that send; sets what follows if not.
bool SynReader::Permits(Index owner, const reach::SendName& send) {
  const auto received = static_cast<Index>(sequence_->ReceivesOf(owner).size());
  if (reach::Allows(variant_, owner, received, send)) return true;
  if (received < variant_.PartnersOf(owner).size()) {
    diverged_ = true;
  } else {
    blocked_ = true;
  }
  return false;
}

bool SynReader::ReadEvent(const Event& event, ObjectId second) {
  const SynOp op = SynOpOf(event.kind);
  if (!op.uncovered.empty()) uncovered_.emplace(op.uncovered);
  if ((event.flags & (Event::kTimedOut | Event::kMayTimeOut)) != 0) {
    uncovered_.emplace("an operation that may time out");
  }
  switch (op.role) {
    case SynRole::kLocal:
      Local(event);
      return true;
    case SynRole::kCall:
      return Call(event.thread, event.object, op.operation, event);
    case SynRole::kWait:
      if (!Call(event.thread, event.object, Operation::kTouch, event)) return false;
      objects_[event.object].waiters.push_back(event.thread);
      if (second != kNoObject && !Call(event.thread, second, Operation::kUnlock, event)) {
        return false;
      }
      threads_[event.thread].queued = true;
      return true;
    case SynRole::kSend:
      Send(event);
      return true;
    case SynRole::kReceive:
      return Receive(event);
  }
  return true;
}

// What the object could complete just before this.
void SynReader::OpenList(ObjectId object, Operation operation, ThreadId thread,
                         const Event& event) {
  open_.clear();
  const ObjectState& state = objects_[object];
  switch (operation) {
    case Operation::kP:
    case Operation::kV:
      if (trace_.objects[object].kind == ObjectKind::kBinarySemaphore) {
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
      const bool owned = state.owner != kNoThread;
      const Index by = owned ? threads_[state.owner].index : kNone;
      open_.push_back({object, Operation::kLock, by});
      if (owned) open_.push_back({object, Operation::kUnlock, by});
      break;
    }
    default:
      open_.push_back({object, operation});
  }
}

void SynReader::Apply(ThreadId thread, ObjectId object, Operation operation, const Event& event) {
  ObjectState& state = objects_[object];
  if (operation == Operation::kLock) {
    state.owner = thread;
    ++state.depth;
  } else if (operation == Operation::kUnlock) {
    // A wait gives a recursive mutex up as a whole.
    if (event.kind == OpKind::kWait || state.depth <= 1) {
      state = ObjectState();
    } else {
      --state.depth;
    }
  } else if (event.kind == OpKind::kTryLock && (event.flags & Event::kFailed) == 0) {
    state.owner = thread;
    ++state.depth;
  }
}

bool SynReader::Call(ThreadId t, ObjectId object, Operation operation, const Event& event) {
  if (object == kNoObject) return true;
  ThreadState& thread = threads_[t];
  const Index owner = OwnerOf(object);
  if (!Permits(owner, {thread.index, thread.sends})) return false;
  ++thread.sends;
  thread.queued = false;
  ObjectState& state = objects_[object];
  const Index send =
      sequence_->AddSend(thread.index, object, owner, operation, reach::Order::kNone);
  if (operation == Operation::kPut) {
    const auto room = static_cast<Index>(event.value);
    if (state.admitted >= room && state.admitted - room < state.releases.size()) {
      sequence_->OwnerLearnsReceive(owner, state.releases[state.admitted - room]);
    }
    ++state.admitted;
  }
  OpenList(object, operation, t, event);
  sequence_->AddReceive(owner, send, open_, kNone);
  plain_.push_back(heddle::IsPlainAccess(event.kind));
  sequence_->ThreadLearnsOwner(thread.index, owner);
  Apply(t, object, operation, event);
  if (event.kind == OpKind::kSignal) {
    if (state.waiters.size() > 1) uncovered_.emplace("notify_one with several waiters");
    if (event.other != kNoThread) Notify(event.other, owner);
    std::erase(state.waiters, event.other);
  } else if (event.kind == OpKind::kBroadcast) {
    for (const ThreadId waiter : state.waiters) Notify(waiter, owner);
    state.waiters.clear();
  }
  return true;
}

void SynReader::Notify(ThreadId woken, Index owner) {
  threads_[woken].queued = false;
  sequence_->ThreadLearnsOwner(threads_[woken].index, owner);
}

void SynReader::Send(const Event& event) {
  ThreadState& thread = threads_[event.thread];
  ObjectState& port = objects_[event.object];
  const ObjectKind kind = trace_.objects[event.object].kind;
  const reach::Order order = kind == ObjectKind::kBoundedPort ? reach::Order::kPerPort
                             : kind == ObjectKind::kSyncPort  ? reach::Order::kNone
                                                              : reach::Order::kPerSender;
  const Index owner = OwnerOfReceiver(port.receiver);
  ++thread.sends;
  port.messages.push_back(
      sequence_->AddSend(thread.index, event.object, owner, Operation::kSend, order));
}

bool SynReader::Receive(const Event& event) {
  ThreadState& thread = threads_[event.thread];
  ObjectState& port = objects_[event.object];
  if (event.other == kNoThread) return true;
  const auto at = std::find_if(port.messages.begin(), port.messages.end(), [&](Index send) {
    return sequence_->sends()[send].thread == threads_[event.other].index;
  });
  const Index owner = OwnerOfReceiver(event.thread);
  if (at == port.messages.end() || owner == kNone) {
    diverged_ = true;
    return false;
  }
  const Index send = *at;
  if (!Permits(owner, sequence_->NameOfSend(send))) return false;
  port.messages.erase(at);
  const Index receive = sequence_->AddReceive(owner, send, thread.open, thread.index);
  plain_.push_back(false);
  thread.open.clear();
  const ObjectKind kind = trace_.objects[event.object].kind;
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
      for (std::size_t t = 0; t < threads_.size(); ++t) {
        if (t != event.thread && trace_.threads[t].ended == 0) {
          uncovered_.emplace("an exit while threads run");
        }
      }
      break;
    case OpKind::kPortOpen:
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

void SynReader::AddPending(ThreadId t, OpKind kind, ObjectId object) {
  const SynOp op = SynOpOf(kind);
  if (object == kNoObject || threads_[t].queued) return;
  if (op.role == SynRole::kCall || op.role == SynRole::kWait) {
    sequence_->AddSend(threads_[t].index, object, OwnerOf(object), op.operation,
                       reach::Order::kNone);
  }
}

// What the threads had called when the reading ended at event `from`: the next event of each shows
// it, or what it never did.
void SynReader::ReadPending(std::size_t from) {
  std::vector<bool> seen(threads_.size(), false);
  for (std::size_t i = from; i < trace_.events.size(); ++i) {
    const Event& event = trace_.events[i];
    if (seen[event.thread]) continue;
    seen[event.thread] = true;
    AddPending(event.thread, event.kind, event.object);
  }
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const ThreadRecord& record = trace_.threads[t];
    if (seen[t] || record.ended != 0) continue;
    AddPending(static_cast<ThreadId>(t), record.pending.kind, record.pending.object);
  }
}

}  // namespace heddle
