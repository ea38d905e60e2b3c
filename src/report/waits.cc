#include "report/waits.h"

namespace heddle {

ThreadId JoinedBy(const RunTrace& trace, const PendingOp& op) {
  const bool joins = op.kind == OpKind::kJoin || op.kind == OpKind::kTimedJoin;
  if (!joins || op.object == kNoObject) return kNoThread;
  // A thread's object is the one its creation acted on.
  for (const Event& event : trace.events) {
    if (event.kind == OpKind::kCreate && event.object == op.object) return event.other;
    if (event.kind == OpKind::kStart && event.object == op.object) return event.thread;
  }
  return kNoThread;
}

std::string Awaited(const RunTrace& trace, const RunNames& names, const PendingOp& op) {
  const std::string object = names.Phrase(op.object);
  switch (op.kind) {
    case OpKind::kTimedJoin:
    case OpKind::kJoin: {
      const ThreadId joined = JoinedBy(trace, op);
      return joined == kNoThread ? "a thread to end" : names.Thread(joined) + " to end";
    }
    case OpKind::kWait:
    case OpKind::kWake:
      return object.empty() ? "a wake-up" : object + " to be signalled";
    case OpKind::kSemWait:
      return object + " to be posted";
    case OpKind::kP:
      return object + " to have a V";
    case OpKind::kV:
      return object + " to have a P";
    case OpKind::kResume:
      return object + " to be handed back";
    case OpKind::kPortPut:
      return object + " to have room";
    case OpKind::kPortSent:
      return object + " to be received from";
    case OpKind::kPortReceive:
      return object + " to have a message";
    case OpKind::kFutexWait:
      return "a wake-up on " + (object.empty() ? "a futex" : object);
    case OpKind::kOnce:
      return object + " to be done";
    case OpKind::kSleep:
      return "time to pass";
    case OpKind::kBarrierLeave:
      return "others to arrive at " + (object.empty() ? "a barrier" : object);
    case OpKind::kReadLock:
      return object + " to read";
    case OpKind::kWriteLock:
      return object + " to write";
    case OpKind::kSigWait:
      return "a signal";
    case OpKind::kSend:
      return "room to send";
    case OpKind::kReceive:
      return "something to receive";
    case OpKind::kPoll:
    case OpKind::kLook:
    case OpKind::kEpollWait:
      return "a descriptor to be ready";
    case OpKind::kFileLock:
      return "a lock on a file";
    case OpKind::kSemOp:
      return "System V semaphores";
    default:
      return object.empty() ? std::string(NameOf(op.kind)) : object;
  }
}

std::vector<std::string> StatesAtEnd(const RunTrace& trace, const RunNames& names,
                                     const LockOwners& owners) {
  std::vector<std::string> states(trace.threads.size());
  for (ThreadId thread = 0; thread < trace.threads.size(); ++thread) {
    const ThreadRecord& record = trace.threads[thread];
    const PendingOp& op = record.pending;
    const bool has_failed = trace.record.outcome == RunOutcome::kFailed &&
                            trace.failure.kind != FailureKind::kDeadlock &&
                            trace.failure.thread == thread;
    if (record.ended != 0) continue;
    if (has_failed) {
      states[thread] = "failed";
    } else if (record.enabled != 0 || op.kind == OpKind::kNone) {
      const std::string object = names.Phrase(op.object);
      if (op.kind == OpKind::kNone) continue;
      states[thread] =
          "about to " + std::string(NameOf(op.kind)) + (object.empty() ? "" : " " + object);
    } else {
      states[thread] = "waits for " + Awaited(trace, names, op);
      const ThreadId owner = owners.OwnerOf(op.object);
      const bool takes_lock =
          op.kind == OpKind::kLock || op.kind == OpKind::kReadLock || op.kind == OpKind::kWriteLock;
      if (takes_lock && owner != kNoThread) {
        states[thread] += ", held by " + (owner == thread ? "itself" : names.Thread(owner));
      }
    }
  }
  return states;
}

std::vector<ThreadId> DeadlockedThreads(const RunTrace& trace) {
  std::vector<ThreadId> threads;
  for (std::uint32_t i = 0; i < trace.failure.cycle_length && i < 16; ++i) {
    if (trace.failure.cycle[i] < trace.threads.size()) threads.push_back(trace.failure.cycle[i]);
  }
  if (!threads.empty()) return threads;
  for (ThreadId thread = 0; thread < trace.threads.size(); ++thread) {
    const ThreadRecord& record = trace.threads[thread];
    if (record.ended == 0 && record.enabled == 0) threads.push_back(thread);
  }
  return threads;
}

}  // namespace heddle
