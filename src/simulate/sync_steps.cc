// What the operations of a program do to its objects.
#include <algorithm>

#include "base/check.h"
#include "simulate/sync_machine.h"

namespace heddle::simulate {

using reach::Code;
using reach::kNone;
using reach::ObjectType;

// Who waits to re-enter comes before all who call.
void SyncMachine::Leave(Index monitor) {
  ObjectState& state = objects_[monitor];
  state.owner = kNone;
  if (state.reentry.empty()) return;
  state.owner = state.reentry.front();
  threads_[state.owner].granted = true;
  state.reentry.pop_front();
}

// One thread is woken; the last of them, in an SU monitor, gets it handed over.
void SyncMachine::Notify(Index t, Event& event) {
  Thread& thread = threads_[t];
  if (thread.to_notify == 0) return;
  const reach::Instruction& instruction = At(t);
  const Index monitor = program_->conditions[instruction.object];
  std::deque<Index>& queue = conditions_[instruction.object];
  const Index woken = queue.front();
  queue.pop_front();
  event.other = static_cast<ThreadId>(woken);
  --thread.to_notify;
  if (program_->objects[monitor].type == ObjectType::kMonitorSC) {
    threads_[woken].granted = true;
    return;
  }
  if (thread.heir == kNone) {
    thread.heir = woken;
  } else {
    objects_[monitor].reentry.push_back(woken);
  }
  if (thread.to_notify > 0) return;
  if (instruction.code != Code::kSignalAndExit) objects_[monitor].reentry.push_back(t);
  objects_[monitor].owner = thread.heir;
  threads_[thread.heir].granted = true;
}

bool SyncMachine::Receive(Index t, const Plan& plan, Policy& policy) {
  const std::vector<Candidate> candidates = CandidatesOf(t);
  std::size_t chosen = 0;
  if (candidates.size() > 1) {
    options_.clear();
    for (const Candidate& each : candidates) {
      const Message& message = objects_[each.port].messages[each.message];
      options_.push_back({.thread = static_cast<ThreadId>(message.sender), .which = message.step});
    }
    if (!Ask({.kind = DecisionKind::kWaiter,
              .options = options_,
              .current = static_cast<ThreadId>(t),
              .step = events_.size(),
              .view = &view_},
             plan, policy, &chosen)) {
      return false;
    }
  }
  const Candidate taken = candidates[chosen];
  std::deque<Message>& messages = objects_[taken.port].messages;
  const Message message = messages[taken.message];
  messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(taken.message));
  pending_[t].object = IdOf(taken.port);
  Event event;
  event.kind = OpKind::kPortReceive;
  event.thread = static_cast<ThreadId>(t);
  event.object = pending_[t].object;
  event.other = static_cast<ThreadId>(message.sender);
  event.value = threads_[t].open.size();
  Record(event);
  if (program_->objects[taken.port].type == ObjectType::kSyncPort) {
    threads_[message.sender].received = true;
  }
  for (const reach::Alternative& alternative : At(t).alternatives) {
    if (alternative.port != taken.port) continue;
    if (alternative.into != kNone) variables_[alternative.into] = message.value;
    threads_[t].pc = alternative.target;
    break;
  }
  Advance(t);
  return true;
}

void SyncMachine::Execute(Index t, const Plan& plan, Policy& policy) {
  Thread& thread = threads_[t];
  const OpKind kind = pending_[t].kind;
  if (kind == OpKind::kPortReceive) {
    over_ = !Receive(t, plan, policy);
    return;
  }
  const reach::Instruction& instruction = At(t);
  const Index object = instruction.object;
  Event event;
  event.kind = kind;
  event.thread = static_cast<ThreadId>(t);
  event.object = pending_[t].object;
  event.flags = Event::kHasValue;
  // Behind the event: goes on, or has another operation to announce first.
  bool goes_on = true;
  switch (kind) {
    case OpKind::kP:
      event.value = static_cast<std::uint64_t>(--objects_[object].value);
      break;
    case OpKind::kV:
      event.value = static_cast<std::uint64_t>(++objects_[object].value);
      break;
    case OpKind::kAcquire:
      objects_[object].owner = t;
      event.value = static_cast<std::uint64_t>(++objects_[object].depth);
      break;
    case OpKind::kRelease:
      if (--objects_[object].depth == 0) objects_[object].owner = kNone;
      event.value = static_cast<std::uint64_t>(objects_[object].depth);
      break;
    case OpKind::kEnter:
      objects_[thread.reenters ? program_->conditions[object] : object].owner = t;
      thread.reenters = thread.granted = false;
      break;
    case OpKind::kResume:
      thread.granted = false;
      break;
    case OpKind::kLeave:
      Leave(instruction.code == Code::kExit ? object : program_->conditions[object]);
      break;
    case OpKind::kQueue:
      conditions_[object].push_back(t);
      thread.granted = false;
      Leave(program_->conditions[object]);
      goes_on = false;
      break;
    case OpKind::kNotify:
      Notify(t, event);
      goes_on = false;
      break;
    case OpKind::kPortPut:
      objects_[object].messages.push_back({.sender = t, .value = ValueOf(instruction.operand)});
      event.value = static_cast<std::uint64_t>(program_->objects[object].initial);
      goes_on = false;
      break;
    case OpKind::kPortSend: {
      std::deque<Message>& messages = objects_[object].messages;
      auto at = std::find_if(messages.begin(), messages.end(), [&](const Message& message) {
        return message.sender == t && !message.sent;
      });
      if (at == messages.end()) {
        messages.push_back({.sender = t, .value = ValueOf(instruction.operand)});
        at = std::prev(messages.end());
      }
      at->sent = true;
      at->step = static_cast<std::uint32_t>(events_.size());
      event.value = messages.size();
      thread.received = false;
      goes_on = program_->objects[object].type != ObjectType::kSyncPort;
      break;
    }
    default:
      break;
  }
  Record(event);
  if (goes_on) {
    ++thread.pc;
    Advance(t);
    return;
  }
  switch (kind) {
    case OpKind::kQueue: {
      const Index monitor = program_->conditions[object];
      thread.reenters = program_->objects[monitor].type == ObjectType::kMonitorSC;
      SetPending(t, thread.reenters ? OpKind::kEnter : OpKind::kResume, monitor);
      break;
    }
    case OpKind::kNotify: {
      const Index monitor = program_->conditions[object];
      if (thread.to_notify > 0) {
        SetPending(t, OpKind::kNotify, monitor);
      } else if (thread.heir != kNone && instruction.code != Code::kSignalAndExit) {
        SetPending(t, OpKind::kResume, monitor);
      } else if (thread.heir == kNone && instruction.code == Code::kSignalAndExit) {
        SetPending(t, OpKind::kLeave, monitor);
      } else {
        ++thread.pc;
        Advance(t);
      }
      break;
    }
    case OpKind::kPortPut:
      SetPending(t, OpKind::kPortSend, object, true);
      break;
    default:
      SetPending(t, OpKind::kPortSent, object);
  }
}

}  // namespace heddle::simulate
