// The local steps of the abstract machine: calling, sending, and what happens inside a monitor.
#include <algorithm>

#include "reach/machine.h"

namespace heddle::reach {

// Everything that a thread did inside becomes part of the monitor, and the other way round.
void Machine::Inform(Index monitor, Index thread) {
  if (record_ == nullptr) return;
  record_->OwnerLearnsThread(monitor, thread);
  record_->ThreadLearnsOwner(thread, monitor);
}

// `thread` goes on inside the monitor, without a call of its own.
void Machine::Resume(Index thread, Index monitor) {
  objects_[monitor].inside = thread;
  threads_[thread].status = threads_[thread].pc >= program_->threads[thread].size()
                                ? ThreadStatus::kEnded
                                : ThreadStatus::kReady;
  if (record_ != nullptr) record_->ThreadLearnsOwner(thread, monitor);
}

// Threads that wait to re-enter come before all who call for the first time.
void Machine::Leave(Index monitor) {
  ObjectState& state = objects_[monitor];
  state.inside = kNone;
  if (state.reentry.empty()) return;
  const Index next = state.reentry.front();
  state.reentry.pop_front();
  Resume(next, monitor);
}

bool Machine::RequireInside(Index thread, Index monitor) {
  if (objects_[monitor].inside == thread) return true;
  threads_[thread].status = ThreadStatus::kFailed;
  return false;
}

// The head of the queue calls the (SC) monitor again.
void Machine::CallAgain(Index condition) {
  const Index monitor = program_->conditions[condition];
  const Index woken = conditions_[condition].front();
  conditions_[condition].pop_front();
  if (record_ != nullptr) record_->ThreadLearnsOwner(woken, monitor);
  Call(woken, monitor, Operation::kEnter);
}

void Machine::RunOne(Index t) {
  ThreadState& thread = threads_[t];
  const std::vector<Instruction>& code = program_->threads[t];
  const Instruction& instruction = code[thread.pc];
  const Index object = instruction.object;
  bool advance = true;
  switch (instruction.code) {
    case Code::kP:
      Call(t, object, Operation::kP);
      return;
    case Code::kV:
      Call(t, object, Operation::kV);
      return;
    case Code::kLock:
      Call(t, object, Operation::kLock);
      return;
    case Code::kUnlock:
      if (RequireInside(t, object)) Call(t, object, Operation::kUnlock);
      return;
    case Code::kEnter:
      Call(t, object, Operation::kEnter);
      return;
    case Code::kExit:
      if (!RequireInside(t, object)) return;
      Inform(object, t);
      Leave(object);
      break;
    case Code::kWait: {
      const Index monitor = program_->conditions[object];
      if (!RequireInside(t, monitor)) return;
      Inform(monitor, t);
      conditions_[object].push_back(t);
      thread.status = ThreadStatus::kQueued;
      // The SC re-entry completes like any call, which advances; an SU re-entry is no event.
      if (program_->objects[monitor].type == ObjectType::kMonitorSU) ++thread.pc;
      Leave(monitor);
      return;
    }
    case Code::kSignal:
    case Code::kSignalAll:
    case Code::kSignalAndExit: {
      const Index monitor = program_->conditions[object];
      if (!RequireInside(t, monitor)) return;
      Inform(monitor, t);
      std::deque<Index>& queue = conditions_[object];
      const bool leaves = instruction.code == Code::kSignalAndExit;
      const std::size_t wakes = instruction.code == Code::kSignalAll
                                    ? queue.size()
                                    : std::min<std::size_t>(queue.size(), 1);
      if (program_->objects[monitor].type == ObjectType::kMonitorSC) {
        for (std::size_t i = 0; i < wakes; ++i) CallAgain(object);
        if (leaves) Leave(monitor);
        break;
      }
      if (wakes == 0) {
        if (leaves) Leave(monitor);
        break;
      }
      // The first one woken has the monitor; the others, then the signaller, wait to re-enter.
      const Index heir = queue.front();
      queue.pop_front();
      for (std::size_t i = 1; i < wakes; ++i) {
        objects_[monitor].reentry.push_back(queue.front());
        queue.pop_front();
      }
      if (!leaves) {
        objects_[monitor].reentry.push_back(t);
        thread.status = ThreadStatus::kQueued;
        ++thread.pc;
        advance = false;
      }
      Resume(heir, monitor);
      break;
    }
    case Code::kSend:
      switch (program_->objects[object].type) {
        case ObjectType::kSyncPort:
          Call(t, object, Operation::kSend, ValueOf(instruction.operand));
          return;
        case ObjectType::kBoundedPort:
          Call(t, object, Operation::kPut, ValueOf(instruction.operand));
          return;
        default:
          Deliver(t, object, Operation::kSend, Order::kPerSender, ValueOf(instruction.operand));
      }
      break;
    case Code::kReceive:
    case Code::kSelect: {
      const bool any = std::any_of(instruction.alternatives.begin(), instruction.alternatives.end(),
                                   [&](const Alternative& a) { return Holds(a.guard); });
      thread.status = any ? ThreadStatus::kReceiving : ThreadStatus::kFailed;
      return;
    }
    case Code::kSet:
      variables_[object] = ValueOf(instruction.operand);
      break;
    case Code::kAdd:
      variables_[object] += ValueOf(instruction.operand);
      break;
    case Code::kJumpIf:
      if (Holds(instruction.guard)) {
        thread.pc = instruction.target;
        advance = false;
      }
      break;
    case Code::kJump:
      thread.pc = instruction.target;
      advance = false;
      break;
  }
  if (advance) ++thread.pc;
  if (thread.status == ThreadStatus::kReady && thread.pc >= code.size()) {
    thread.status = ThreadStatus::kEnded;
  }
}

}  // namespace heddle::reach
