// What the steps of a program do to the machine's state: the part of the Machine that knows what a
// lock, a semaphore, a condition is. machine.cc makes the runs.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "simulate/machine.h"
#include "trace/channel_use.h"
#include "trace/thread_path.h"

namespace heddle::simulate {
namespace {

constexpr std::uint64_t Bit(std::size_t index) { return std::uint64_t{1} << index; }

bool MayBlock(OpKind kind) {
  return kind == OpKind::kLock || kind == OpKind::kSemWait || kind == OpKind::kWake ||
         kind == OpKind::kJoin || kind == OpKind::kReadLock || kind == OpKind::kWriteLock ||
         kind == OpKind::kSend || kind == OpKind::kReceive;
}

}  // namespace

void Machine::AnnounceAny(ThreadId id) {
  Thread& thread = threads_[id];
  PendingOp& op = pending_[id];
  const std::uint64_t bit = Bit(id);
  run_.enabled &= ~bit;
  if ((run_.special & bit) != 0) {
    run_.special &= ~bit;
    run_.blocking &= ~bit;
    run_.timed &= ~bit;
    run_.eager &= ~bit;
  }
  if (thread.pc >= thread.length) {
    run_.live &= ~bit;
    run_.ended |= Bit(thread.program_thread);
    op = PendingOp();
    return;
  }
  const Step& step = thread.code[thread.pc];
  run_.live |= bit;
  op.kind = step.kind;
  if (thread.waking) op.kind = thread.gave_up ? OpKind::kLock : OpKind::kWake;
  op.site = Bit(32) * thread.program_thread + thread.pc + 1;
  op.second = kNoObject;
  if (TouchesNoObject(op.kind)) {
    op.object = kNoObject;
  } else if (step.index >= 0) {
    op.object = IdOf(static_cast<Object>(step.object + thread.registers[step.index]));
  } else {
    op.object = IdOf(thread.gave_up ? step.mutex : step.object);
    if (op.kind == OpKind::kWait || IsOnChannel(op.kind)) op.second = IdOf(step.mutex);
  }
  op.order = step.waits ? channel_use::kWaits : std::uint8_t{0};
  // Of a wait, only the sleep can time out.
  op.SetTimed(step.timed && (op.kind == OpKind::kWake || op.kind == OpKind::kSemWait));
  if (op.timed() && step.clock >= 0) op.second = IdOf(static_cast<Object>(step.clock));
  const bool may_block = MayBlock(op.kind);
  if (!may_block) run_.enabled |= bit;
  if (!may_block && IsPoint(op.kind)) return;
  run_.special |= bit;
  if (!IsPoint(op.kind)) run_.eager |= bit;
  if (may_block) run_.blocking |= bit;
  if (may_block && op.timed()) run_.timed |= bit;
}

bool Machine::CanGoOn(ThreadId id) const {
  const Thread& thread = threads_[id];
  const Step& step = thread.code[thread.pc];
  switch (pending_[id].kind) {
    case OpKind::kLock:
      return !objects_[thread.waking ? step.mutex : step.object].held;
    case OpKind::kSemWait:
      return objects_[step.object].value > 0;
    case OpKind::kReadLock:
      return !objects_[step.object].held;
    case OpKind::kWriteLock:
      return !objects_[step.object].held && objects_[step.object].value == 0;
    case OpKind::kWake:
      return false;
    case OpKind::kSend:
    case OpKind::kReceive:
      return !step.waits || ReadinessOf(step.kind, NotedAt(step.object)) == Readiness::kReady;
    case OpKind::kJoin:
      return (run_.ended & Bit(step.thread)) != 0;
    default:
      return true;
  }
}

std::uint8_t Machine::NotedAt(Object channel) const {
  const ObjectState& state = objects_[channel];
  unsigned noted = channel_use::kReadKnown | channel_use::kWriteKnown;
  if (state.held || state.value > 0) noted |= channel_use::kReadable;
  if (state.held || state.value < kRoom) noted |= channel_use::kWritable;
  return static_cast<std::uint8_t>(noted);
}

void Machine::LetTimePass(const Step& step) {
  if (step.clock < 0) return;
  std::int64_t& now = objects_[static_cast<Object>(step.clock)].value;
  now = std::max(now, step.deadline);
}

void Machine::Fail(ThreadId id) {
  record_.failure = FailureKind::kAssertion;
  failure_.kind = FailureKind::kAssertion;
  failure_.thread = id;
  run_.over = options_.stop_at_failure;
}

Machine::Done Machine::Act(ThreadId id, Event* event) {
  Thread& thread = threads_[id];
  const Step& step = thread.code[thread.pc];
  const OpKind kind = event->kind;
  auto object = static_cast<Object>(
      step.object + (step.index >= 0 ? thread.registers[step.index] : std::int64_t{0}));
  std::uint32_t next = thread.pc + 1;
  switch (kind) {
    case OpKind::kAtomicLoad:
    case OpKind::kAtomicStore:
    case OpKind::kAtomicRmw: {
      const std::int64_t read = Access(step, thread, object, event);
      Branch(step, id, read, &next);
      break;
    }
    case OpKind::kLock:
      if (thread.waking) object = step.mutex;
      thread.waking = thread.gave_up = false;
      objects_[object].held = true;
      break;
    case OpKind::kTryLock: {
      const bool got_it = !objects_[step.object].held;
      objects_[step.object].held = true;
      if (!got_it) event->flags |= Event::kFailed;
      if (step.into >= 0) thread.registers[step.into] = got_it ? 1 : 0;
      Branch(step, id, got_it ? 1 : 0, &next);
      break;
    }
    case OpKind::kWake:  // it is here only by time-out
      event->flags |= Event::kTimedOut;
      LetTimePass(step);
      objects_[step.object].waiters &= ~Bit(id);
      thread.gave_up = true;
      next = thread.pc;
      break;
    case OpKind::kUnlock:
    case OpKind::kWriteUnlock:
      objects_[step.object].held = false;
      break;
    case OpKind::kWriteLock:
      objects_[step.object].held = true;
      break;
    case OpKind::kReadLock:
      ++objects_[step.object].value;
      break;
    case OpKind::kReadUnlock:
      --objects_[step.object].value;
      break;
    case OpKind::kTryReadLock:
    case OpKind::kTryWriteLock: {
      auto& lock = objects_[step.object];
      const bool reads = kind == OpKind::kTryReadLock;
      const bool got_it = !lock.held && (reads || lock.value == 0);
      if (got_it && reads) ++lock.value;
      if (got_it && !reads) lock.held = true;
      if (!got_it) event->flags |= Event::kFailed;
      if (step.into >= 0) thread.registers[step.into] = got_it ? 1 : 0;
      Branch(step, id, got_it ? 1 : 0, &next);
      break;
    }
    case OpKind::kSemWait: {
      const bool got_it = (run_.enabled & Bit(id)) != 0;
      if (got_it) {
        event->value = static_cast<std::uint64_t>(--objects_[step.object].value);
        event->flags |= Event::kHasValue;
      } else {
        event->flags |= Event::kTimedOut;
        LetTimePass(step);
      }
      if (step.into >= 0) thread.registers[step.into] = got_it ? 1 : 0;
      Branch(step, id, got_it ? 1 : 0, &next);
      break;
    }
    case OpKind::kSemTryWait: {
      std::int64_t& count = objects_[step.object].value;
      const bool got_it = count > 0;
      if (got_it) {
        event->value = static_cast<std::uint64_t>(--count);
        event->flags |= Event::kHasValue;
      } else {
        event->flags |= Event::kFailed;
      }
      if (step.into >= 0) thread.registers[step.into] = got_it ? 1 : 0;
      Branch(step, id, got_it ? 1 : 0, &next);
      break;
    }
    case OpKind::kSemPost:
      event->value = static_cast<std::uint64_t>(++objects_[step.object].value);
      event->flags |= Event::kHasValue;
      break;
    case OpKind::kSleep:
      objects_[object].value = std::max(objects_[object].value, step.deadline);
      break;
    case OpKind::kTime: {
      const std::int64_t now = objects_[object].value;
      if (step.into >= 0) thread.registers[step.into] = now;
      Branch(step, id, now, &next);
      break;
    }
    case OpKind::kProcessExit:
      run_.over = true;
      next = thread.length;
      break;
    case OpKind::kDescriptor:
      event->order |= NotedAt(object);
      objects_[object].held = true;
      event->size = NotedAt(object);
      break;
    case OpKind::kSend: {
      event->order |= NotedAt(object);
      auto& channel = objects_[object];
      if (!channel.held && channel.value < kRoom) channel.value += step.value.constant;
      event->size = NotedAt(object);
      break;
    }
    case OpKind::kReceive:
    case OpKind::kPoll: {
      const bool receives = kind == OpKind::kReceive;
      if (receives) event->order |= NotedAt(object);
      std::int64_t& inside = objects_[receives ? object : step.mutex].value;
      const std::int64_t read = receives ? std::min(inside, step.value.constant) : inside;
      if (receives) inside -= read;
      if (receives) event->size = NotedAt(object);
      if (step.into >= 0) thread.registers[step.into] = read;
      Branch(step, id, read, &next);
      break;
    }
    case OpKind::kWait:
      event->value = IdOf(step.mutex);  // as in the runtime
      objects_[step.mutex].held = false;
      objects_[step.object].waiters |= Bit(id);
      thread.waking = true;
      next = thread.pc;
      break;
    case OpKind::kCreate:
      ++thread.children;
      AddThread(step.thread, ChildPathHash(thread.path, thread.children), id, thread.children);
      break;
    default:
      break;
  }

  return {.object = object, .next = next};
}

// As in the runtime: whoever is woken has its mutex to lock again, and that is its operation then.
void Machine::Wake(Object condition, ThreadId waker, ThreadId id) {
  objects_[condition].waiters &= ~Bit(id);
  run_.classes.AddWoken(EventIdentity(threads_[waker].path, threads_[waker].executed - 1),
                        threads_[id].path);
  PendingOp& op = pending_[id];
  op.kind = OpKind::kLock;
  op.SetTimed(false);
  op.second = kNoObject;
  run_.timed &= ~Bit(id);
  op.object = IdOf(threads_[id].code[threads_[id].pc].mutex);
}

// Returns who was woken.
ThreadId Machine::Signal(Object condition, ThreadId signaller, const Plan& plan, Policy& policy) {
  std::size_t count = 0;
  for (std::uint64_t left = objects_[condition].waiters; left != 0; left &= left - 1) {
    waiter_choices_[count++] = {.thread = static_cast<ThreadId>(std::countr_zero(left))};
  }
  if (count == 0) return kNoThread;  // a signal that nobody hears
  std::size_t chosen = 0;
  if (count > 1) {
    const Decision decision{.kind = DecisionKind::kWaiter,
                            .options = {waiter_choices_.data(), count},
                            .current = signaller,
                            .step = record_.events,
                            .view = &view_};
    chosen = Ask(decision, plan, policy);
  }
  const ThreadId woken = waiter_choices_[chosen].thread;
  Wake(condition, signaller, woken);
  return woken;
}

ThreadId Machine::Concern(ThreadId id, const Plan& plan, Policy& policy) {
  const Step& step = threads_[id].code[threads_[id].pc];
  switch (step.kind) {
    case OpKind::kCreate:
      return static_cast<ThreadId>(run_.thread_count - 1);
    case OpKind::kJoin:
      return id_of_[step.thread];
    case OpKind::kSignal:
      return Signal(step.object, id, plan, policy);
    default:
      for (std::uint64_t left = objects_[step.object].waiters; left != 0; left &= left - 1) {
        Wake(step.object, id, static_cast<ThreadId>(std::countr_zero(left)));
      }
      return kNoThread;
  }
}

}  // namespace heddle::simulate
