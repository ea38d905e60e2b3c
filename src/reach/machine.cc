#include "reach/machine.h"

#include <algorithm>

#include "base/check.h"

namespace heddle::reach {

Machine::Machine(const Program* program, Sequence* record)
    : program_(program),
      record_(record),
      threads_(program->threads.size()),
      objects_(program->objects.size()),
      conditions_(program->conditions.size()),
      variables_(program->variables),
      pending_(program->owners()),
      received_(program->owners()) {
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    objects_[i].value = program->objects[i].initial;
  }
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    if (program->threads[t].empty()) threads_[t].status = ThreadStatus::kEnded;
  }
}

void Machine::EnabledLocal(std::vector<Step>& steps) const {
  for (Index t = 0; t < threads_.size(); ++t) {
    if (threads_[t].status == ThreadStatus::kReady) steps.push_back({.local = true, .who = t});
  }
}

void Machine::EnabledCompletions(std::vector<Step>& steps) const {
  for (Index owner = 0; owner < pending_.size(); ++owner) {
    for (const Pending& pending : pending_[owner]) {
      if (IsOpen(owner, pending)) steps.push_back({.who = owner, .send = pending.name});
    }
  }
}

void Machine::Do(const Step& step) {
  if (step.local) {
    RunOne(step.who);
    return;
  }
  const std::vector<Pending>& pending = pending_[step.who];
  const auto at = std::find_if(pending.begin(), pending.end(),
                               [&](const Pending& p) { return p.name == step.send; });
  HEDDLE_CHECK(at != pending.end());
  Complete(step.who, static_cast<std::size_t>(at - pending.begin()));
}

void Machine::RunLocal() {
  for (bool again = true; again;) {
    again = false;
    for (Index t = 0; t < threads_.size(); ++t) {
      while (threads_[t].status == ThreadStatus::kReady) {
        RunOne(t);
        again = true;
      }
    }
  }
}

FinalState Machine::Final() const {
  FinalState state;
  state.variables = variables_;
  for (Index t = 0; t < threads_.size(); ++t) {
    if (threads_[t].status == ThreadStatus::kFailed) {
      state.failed = true;
    } else if (threads_[t].status != ThreadStatus::kEnded) {
      state.stuck.push_back(t);
    }
  }
  return state;
}

int Machine::ValueOf(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::kConstant:
      return operand.value;
    case Operand::Kind::kVariable:
      return variables_[operand.value];
    case Operand::Kind::kLength:
      return static_cast<int>(conditions_[operand.value].size());
  }
  return 0;
}

bool Machine::Holds(const Guard& guard) const {
  return std::all_of(guard.begin(), guard.end(), [&](const Comparison& c) {
    const int left = ValueOf(c.left);
    const int right = ValueOf(c.right);
    switch (c.compare) {
      case Compare::kEqual:
        return left == right;
      case Compare::kNotEqual:
        return left != right;
      case Compare::kLess:
        return left < right;
      case Compare::kGreater:
        return left > right;
    }
    return false;
  });
}

// What `owner` could complete now, whether anybody asks for it or not.
void Machine::OpenList(Index owner, std::vector<Open>& open) const {
  if (owner >= objects_.size()) {
    const Index thread = owner - static_cast<Index>(objects_.size());
    if (threads_[thread].status != ThreadStatus::kReceiving) return;
    for (const Alternative& a : program_->threads[thread][threads_[thread].pc].alternatives) {
      if (Holds(a.guard)) open.push_back({a.port, Operation::kSend});
    }
    return;
  }
  const ObjectState& state = objects_[owner];
  switch (program_->objects[owner].type) {
    case ObjectType::kCountingSemaphore:
      open.push_back({owner, Operation::kV});
      if (state.value > 0) open.push_back({owner, Operation::kP});
      break;
    case ObjectType::kBinarySemaphore:
      open.push_back({owner, state.value > 0 ? Operation::kP : Operation::kV});
      break;
    case ObjectType::kLock:
      open.push_back({owner, Operation::kLock, state.inside});
      if (state.inside != kNone) open.push_back({owner, Operation::kUnlock, state.inside});
      break;
    case ObjectType::kMonitorSC:
    case ObjectType::kMonitorSU:
      if (state.inside == kNone) open.push_back({owner, Operation::kEnter});
      break;
    case ObjectType::kBoundedPort:
      if (state.value > 0) open.push_back({owner, Operation::kPut});
      break;
    case ObjectType::kAsyncPort:
    case ObjectType::kSyncPort:
      break;
  }
}

bool Machine::IsOpen(Index owner, const Pending& pending) const {
  open_.clear();
  OpenList(owner, open_);
  const bool is_open = std::any_of(open_.begin(), open_.end(), [&](const Open& entry) {
    return entry.object == pending.object && entry.operation == pending.operation &&
           (entry.thread == kNone || entry.thread == pending.name.thread);
  });
  if (!is_open || pending.operation != Operation::kSend) return is_open;
  // Only the first message in its order can be received.
  const bool per_port = program_->objects[pending.object].type == ObjectType::kBoundedPort;
  for (const Pending& other : pending_[owner]) {
    if (other.name == pending.name) return true;
    if (other.object == pending.object && (per_port || other.name.thread == pending.name.thread)) {
      return false;
    }
  }
  return true;
}

void Machine::Call(Index thread, Index object, Operation operation, int value) {
  Deliver(thread, object, operation, Order::kNone, value);
  threads_[thread].status = ThreadStatus::kCalling;
}

void Machine::Deliver(Index thread, Index object, Operation operation, Order order, int value) {
  const Index receiver = program_->objects[object].receiver;
  const bool nobody_reads = operation == Operation::kSend && receiver == kNone;
  const Index owner = nobody_reads                    ? kNone
                      : operation == Operation::kSend ? program_->OwnerOfThread(receiver)
                                                      : object;
  Pending pending{.name = {thread, threads_[thread].sends++},
                  .object = object,
                  .operation = operation,
                  .value = value};
  if (record_ != nullptr) {
    pending.record = record_->AddSend(thread, object, owner, operation, order);
  }
  if (!nobody_reads) pending_[owner].push_back(pending);
}

void Machine::Complete(Index owner, std::size_t index) {
  const Pending pending = pending_[owner][index];
  HEDDLE_CHECK(IsOpen(owner, pending));
  pending_[owner].erase(pending_[owner].begin() + static_cast<std::ptrdiff_t>(index));
  received_[owner].push_back(pending.name);
  if (pending.operation == Operation::kSend) {
    ReceiveBy(owner - static_cast<Index>(objects_.size()), pending);
  } else {
    Take(owner, pending);
  }
}

// An object completes a call.
void Machine::Take(Index owner, const Pending& pending) {
  ObjectState& state = objects_[owner];
  const Index thread = pending.name.thread;
  const ObjectType type = program_->objects[owner].type;
  if (record_ != nullptr) {
    const auto room = static_cast<Index>(program_->objects[owner].initial);
    if (type == ObjectType::kBoundedPort && state.admitted >= room) {
      record_->OwnerLearnsReceive(owner, state.releases[state.admitted - room]);
    }
    open_.clear();
    OpenList(owner, open_);
    record_->AddReceive(owner, pending.record, open_, kNone);
    record_->ThreadLearnsOwner(thread, owner);
  }
  threads_[thread].status = ThreadStatus::kReady;
  switch (pending.operation) {
    case Operation::kP:
      --state.value;
      break;
    case Operation::kV:
      ++state.value;
      break;
    case Operation::kLock:
      state.inside = thread;
      ++state.depth;
      break;
    case Operation::kUnlock:
      if (--state.depth == 0) state.inside = kNone;
      break;
    case Operation::kEnter:
      state.inside = thread;
      break;
    case Operation::kPut:
      --state.value;
      ++state.admitted;
      Deliver(thread, owner, Operation::kSend, Order::kPerPort, pending.value);
      break;
    case Operation::kSend:
    case Operation::kTouch:
    case Operation::kWake:
      HEDDLE_CHECK(false);
  }
  ++threads_[thread].pc;
  if (threads_[thread].pc >= program_->threads[thread].size()) {
    threads_[thread].status = ThreadStatus::kEnded;
  }
}

void Machine::ReceiveBy(Index receiver, const Pending& pending) {
  ThreadState& thread = threads_[receiver];
  const Index owner = program_->OwnerOfThread(receiver);
  const Object& port = program_->objects[pending.object];
  Index receive = kNone;
  if (record_ != nullptr) {
    open_.clear();
    OpenList(owner, open_);
    receive = record_->AddReceive(owner, pending.record, open_, receiver);
  }
  if (port.type == ObjectType::kBoundedPort) {
    ++objects_[pending.object].value;
    objects_[pending.object].releases.push_back(receive);
  } else if (port.type == ObjectType::kSyncPort) {
    ThreadState& sender = threads_[pending.name.thread];
    if (record_ != nullptr) record_->ThreadLearnsOwner(pending.name.thread, owner);
    sender.status = ++sender.pc >= program_->threads[pending.name.thread].size()
                        ? ThreadStatus::kEnded
                        : ThreadStatus::kReady;
  }
  const std::vector<Instruction>& code = program_->threads[receiver];
  for (const Alternative& alternative : code[thread.pc].alternatives) {
    if (alternative.port != pending.object) continue;
    if (alternative.into != kNone) variables_[alternative.into] = pending.value;
    thread.pc = alternative.target;
    thread.status = thread.pc >= code.size() ? ThreadStatus::kEnded : ThreadStatus::kReady;
    return;
  }
  HEDDLE_CHECK(false);
}

std::string Machine::StateText() const {
  std::string text;
  const auto put = [&](std::int64_t value) {
    text.append(reinterpret_cast<const char*>(&value), 4);
  };
  for (const ThreadState& thread : threads_) {
    put(thread.pc);
    put(thread.sends);
    put(static_cast<int>(thread.status));
  }
  for (const ObjectState& object : objects_) {
    put(object.value);
    put(object.inside);
    put(object.depth);
    put(static_cast<std::int64_t>(object.reentry.size()));
    for (const Index thread : object.reentry) put(thread);
  }
  for (const std::deque<Index>& queue : conditions_) {
    put(static_cast<std::int64_t>(queue.size()));
    for (const Index thread : queue) put(thread);
  }
  for (const int value : variables_) put(value);
  for (const std::vector<Pending>& list : pending_) {
    // A bounded port keeps the order of admission; elsewhere the order of arrival means nothing.
    put(static_cast<std::int64_t>(list.size()));
    std::vector<Pending> sorted = list;
    std::stable_sort(sorted.begin(), sorted.end(), [&](const Pending& a, const Pending& b) {
      const bool a_bounded = program_->objects[a.object].type == ObjectType::kBoundedPort;
      const bool b_bounded = program_->objects[b.object].type == ObjectType::kBoundedPort;
      if (a.object != b.object) return a.object < b.object;
      return !(a_bounded && b_bounded) && a.name < b.name;
    });
    for (const Pending& pending : sorted) {
      put(pending.name.thread);
      put(pending.name.number);
      put(pending.value);
    }
  }
  for (const std::vector<SendName>& list : received_) {
    put(static_cast<std::int64_t>(list.size()));
    for (const SendName& name : list) {
      put(name.thread);
      put(name.number);
    }
  }
  return text;
}

}  // namespace heddle::reach
