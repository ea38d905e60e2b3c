#include "simulate/interpreter.h"

#include <algorithm>

#include "base/check.h"

namespace heddle::simulate {
namespace {

const Step& StepOf(const Program& program, const ThreadState& thread) {
  return program.threads[static_cast<std::size_t>(thread.program_thread)]
                        [static_cast<std::size_t>(thread.pc)];
}

ThreadState NewThread(int program_thread) {
  ThreadState thread;
  thread.program_thread = program_thread;
  return thread;
}

int ObjectOf(const Step& step, const ThreadState& thread) {
  if (TouchesNoObject(step.kind)) return -1;
  int object = step.object;
  if (step.index >= 0) {
    object += static_cast<int>(thread.registers[static_cast<std::size_t>(step.index)]);
  }
  return object;
}

std::int64_t ValueIn(const ThreadState& thread, const Value& value) {
  std::int64_t sum = value.constant;
  for (const int r : {value.first, value.second}) {
    if (r >= 0) sum += thread.registers[static_cast<std::size_t>(r)];
  }
  return sum;
}

// Whether the step of a thread, which tries something, gets it.
bool Succeeds(const Step& step, const ThreadState& thread, const State& state) {
  const auto object = static_cast<std::size_t>(std::max(ObjectOf(step, thread), 0));
  switch (step.kind) {
    case OpKind::kAtomicRmw:
      return !step.compares || state.values[object] == ValueIn(thread, step.expected);
    case OpKind::kTryLock:
    case OpKind::kTryReadLock:
      return !state.held[object];
    case OpKind::kSemTryWait:
    case OpKind::kSemWait:  // otherwise its time is up
      return state.values[object] > 0;
    case OpKind::kTryWriteLock:
      return !state.held[object] && state.values[object] == 0;
    default:
      return true;
  }
}

bool ProgramThreadEnded(const Program& program, const State& state, int program_thread) {
  return std::any_of(state.threads.begin(), state.threads.end(), [&](const ThreadState& thread) {
    return thread.program_thread == program_thread && HasEnded(program, thread);
  });
}

}  // namespace

bool Dependent(const EventName& a, const EventName& b) {
  if (a.thread == b.thread) return true;
  for (const int x : {a.object, a.second}) {
    for (const int y : {b.object, b.second}) {
      if (x != y || x < 0) continue;
      const bool both_first = x == a.object && y == b.object;
      const auto queues = [](OpKind kind) {
        return kind == OpKind::kWait || kind == OpKind::kWake;
      };
      const auto looks = [](const EventName& event) {
        return event.failed || !IsWrite(event.kind);
      };
      // Who could not have a read-write lock has looked for readers, too: they matter then.
      const auto counts_readers = [](const EventName& event) {
        return event.failed &&
               (event.kind == OpKind::kTryReadLock || event.kind == OpKind::kTryWriteLock);
      };
      const bool look = looks(a) && looks(b) && counts_readers(a) == counts_readers(b);
      const bool post = a.kind == OpKind::kSemPost && b.kind == OpKind::kSemPost;
      // Two that let time pass, whoever does so first: then it is as late as the later one says.
      const auto lets_time_pass = [](const EventName& event, int on) {
        if (on == event.object) return event.kind == OpKind::kSleep;
        return event.kind == OpKind::kSemWait || event.kind == OpKind::kWake;
      };
      if (lets_time_pass(a, x) && lets_time_pass(b, y)) continue;
      if (both_first && (look || post || (queues(a.kind) && queues(b.kind)))) continue;
      // Users of one channel each, in what they name all descriptors by.
      const bool both_second = x == a.second && y == b.second;
      if (both_second && IsOnChannel(a.kind) && IsOnChannel(b.kind)) continue;
      return true;
    }
  }
  return false;
}

State InitialState(const Program& program) {
  State state;
  state.values = program.initial;
  state.values.resize(static_cast<std::size_t>(program.ObjectCount()));
  state.held.resize(state.values.size());
  std::vector<bool> created(program.threads.size());
  for (const std::vector<Step>& thread : program.threads) {
    for (const Step& step : thread) {
      if (step.kind == OpKind::kCreate) created[step.thread] = true;
    }
  }
  for (std::size_t i = 0; i < program.threads.size(); ++i) {
    if (!created[i]) state.threads.push_back(NewThread(static_cast<int>(i)));
  }
  return state;
}

bool HasEnded(const Program& program, const ThreadState& thread) {
  const auto& steps = program.threads[static_cast<std::size_t>(thread.program_thread)];
  return thread.pc >= static_cast<int>(steps.size());
}

bool IsEnabled(const Program& program, const State& state, const ThreadState& thread) {
  if (HasEnded(program, thread)) return false;
  const Step& step = StepOf(program, thread);
  if (thread.waking) return !thread.waiting && !state.held[step.mutex];
  if (step.kind == OpKind::kLock) return !state.held[step.object];
  if (step.kind == OpKind::kSemWait) return state.values[step.object] > 0;
  if (step.kind == OpKind::kReadLock) return !state.held[step.object];
  if (step.kind == OpKind::kWriteLock) {
    return !state.held[step.object] && state.values[step.object] == 0;
  }
  const bool waits_for_channel = IsOnChannel(step.kind) && step.waits;
  if (waits_for_channel && !state.held[step.object]) {
    const std::int64_t inside = state.values[step.object];
    return step.kind == OpKind::kSend ? inside < kRoom : inside > 0;
  }
  if (step.kind == OpKind::kJoin) return ProgramThreadEnded(program, state, step.thread);
  return true;
}

EventName NextEvent(const Program& program, const State& state, const ThreadState& thread) {
  const Step& step = StepOf(program, thread);
  EventName event{.thread = thread.program_thread,
                  .nth = thread.executed,
                  .kind = step.kind,
                  .object = ObjectOf(step, thread)};
  if (thread.waiting) {
    event.kind = OpKind::kWake;  // by time-out
    event.second = step.clock;
  } else if (thread.waking) {
    event.kind = OpKind::kLock;
    event.object = step.mutex;
  } else if (step.kind == OpKind::kWait || IsOnChannel(step.kind)) {
    event.second = step.mutex;
  } else {
    event.failed = !Succeeds(step, thread, state);
    event.second = step.clock;
  }
  return event;
}

std::vector<int> Choices(const Program& program, const State& state) {
  std::vector<int> choices;
  if (state.over) return choices;
  for (int i = 0; i < static_cast<int>(state.threads.size()); ++i) {
    const ThreadState& thread = state.threads[static_cast<std::size_t>(i)];
    const bool may_time_out = !HasEnded(program, thread) && StepOf(program, thread).timed &&
                              (thread.waiting || StepOf(program, thread).kind == OpKind::kSemWait);
    if (!may_time_out && !IsEnabled(program, state, thread)) continue;
    const OpKind kind = StepOf(program, thread).kind;
    if (kind == OpKind::kCreate || kind == OpKind::kJoin) return {i};
    choices.push_back(i);
  }
  return choices;
}

std::vector<int> WaitersOf(const Program& program, const State& state, int thread) {
  const Step& step = StepOf(program, state.threads[static_cast<std::size_t>(thread)]);
  std::vector<int> waiters;
  if (step.kind != OpKind::kSignal) return waiters;
  for (int i = 0; i < static_cast<int>(state.threads.size()); ++i) {
    const ThreadState& other = state.threads[static_cast<std::size_t>(i)];
    if (other.waiting && StepOf(program, other).object == step.object) waiters.push_back(i);
  }
  return waiters;
}

void Execute(const Program& program, State& state, int index, int waiter) {
  ThreadState& thread = state.threads[static_cast<std::size_t>(index)];
  const Step& step = StepOf(program, thread);
  const int target = ObjectOf(step, thread);
  const auto object = static_cast<std::size_t>(std::max(target, 0));
  ++thread.executed;
  const auto let_time_pass = [&] {
    if (step.clock < 0) return;
    std::int64_t& now = state.values[static_cast<std::size_t>(step.clock)];
    now = std::max(now, step.deadline);
  };
  if (thread.waiting) {
    thread.waiting = false;  // by time-out
    let_time_pass();
    return;
  }
  if (thread.waking) {
    state.held[step.mutex] = true;
    thread.waking = false;
    ++thread.pc;
    return;
  }
  switch (step.kind) {
    case OpKind::kAtomicLoad:
    case OpKind::kAtomicStore:
    case OpKind::kAtomicRmw: {
      const std::int64_t value = ValueIn(thread, step.value);
      std::int64_t read = state.values[object];
      if (step.kind == OpKind::kAtomicStore) state.values[object] = value;
      if (step.compares) {
        const bool does = Succeeds(step, thread, state);
        if (does) state.values[object] = value;
        read = does ? 1 : 0;
      } else if (step.kind == OpKind::kAtomicRmw) {
        state.values[object] = read + value;
      }
      if (step.into >= 0) thread.registers[static_cast<std::size_t>(step.into)] = read;
      const bool holds = Holds(step.condition, read, step.operand);
      if (!holds && step.asserts) state.failed = true;
      thread.pc += holds ? 1 : 1 + step.skip;
      return;
    }
    case OpKind::kWait:
      state.held[step.mutex] = false;
      thread.waiting = thread.waking = true;
      return;
    case OpKind::kLock:
      state.held[object] = true;
      break;
    case OpKind::kTryLock: {
      const std::int64_t got_it = state.held[object] ? 0 : 1;
      state.held[object] = true;
      if (step.into >= 0) thread.registers[static_cast<std::size_t>(step.into)] = got_it;
      const bool holds = Holds(step.condition, got_it, step.operand);
      if (!holds && step.asserts) state.failed = true;
      thread.pc += holds ? 1 : 1 + step.skip;
      return;
    }
    case OpKind::kUnlock:
      state.held[object] = false;
      break;
    case OpKind::kSemTryWait:
    case OpKind::kSemWait: {
      const std::int64_t got_it = state.values[object] > 0 ? 1 : 0;
      state.values[object] -= got_it;
      if (got_it == 0) let_time_pass();
      if (step.into >= 0) thread.registers[static_cast<std::size_t>(step.into)] = got_it;
      const bool holds = Holds(step.condition, got_it, step.operand);
      if (!holds && step.asserts) state.failed = true;
      thread.pc += holds ? 1 : 1 + step.skip;
      return;
    }
    // The value of a read-write lock is the number of its readers; held: by a writer.
    case OpKind::kTryReadLock:
    case OpKind::kTryWriteLock: {
      const bool reads = step.kind == OpKind::kTryReadLock;
      const bool got_it = !state.held[object] && (reads || state.values[object] == 0);
      if (got_it && reads) ++state.values[object];
      if (got_it && !reads) state.held[object] = true;
      if (step.into >= 0) {
        thread.registers[static_cast<std::size_t>(step.into)] = got_it ? 1 : 0;
      }
      const bool holds = Holds(step.condition, got_it ? 1 : 0, step.operand);
      if (!holds && step.asserts) state.failed = true;
      thread.pc += holds ? 1 : 1 + step.skip;
      return;
    }
    case OpKind::kReadLock:
      ++state.values[object];
      break;
    case OpKind::kReadUnlock:
      --state.values[object];
      break;
    case OpKind::kWriteLock:
      state.held[object] = true;
      break;
    case OpKind::kWriteUnlock:
      state.held[object] = false;
      break;
    case OpKind::kSemPost:
      ++state.values[object];
      break;
    case OpKind::kSend:
      if (!state.held[object] && state.values[object] < kRoom) {
        state.values[object] += step.value.constant;
      }
      break;
    case OpKind::kProcessExit:
      state.over = true;
      break;
    case OpKind::kSleep:
      state.values[object] = std::max(state.values[object], step.deadline);
      break;
    case OpKind::kTime: {
      const std::int64_t now = state.values[object];
      if (step.into >= 0) thread.registers[static_cast<std::size_t>(step.into)] = now;
      const bool holds = Holds(step.condition, now, step.operand);
      if (!holds && step.asserts) state.failed = true;
      thread.pc += holds ? 1 : 1 + step.skip;
      return;
    }
    case OpKind::kDescriptor:
      state.held[object] = true;
      break;
    case OpKind::kReceive:
    case OpKind::kPoll: {
      std::int64_t read = state.values[step.mutex];
      if (step.kind == OpKind::kReceive) {
        read = std::min(state.values[object], step.value.constant);
        state.values[object] -= read;
      }
      if (step.into >= 0) thread.registers[static_cast<std::size_t>(step.into)] = read;
      const bool holds = Holds(step.condition, read, step.operand);
      if (!holds && step.asserts) state.failed = true;
      thread.pc += holds ? 1 : 1 + step.skip;
      return;
    }
    case OpKind::kSignal:
      if (waiter >= 0) state.threads[static_cast<std::size_t>(waiter)].waiting = false;
      break;
    case OpKind::kBroadcast:
      for (ThreadState& other : state.threads) {
        if (other.waiting && StepOf(program, other).object == step.object) other.waiting = false;
      }
      break;
    case OpKind::kCreate:
      ++thread.pc;
      state.threads.push_back(NewThread(step.thread));  // `thread` dangles from here on
      return;
    default:
      break;
  }
  ++thread.pc;
}

}  // namespace heddle::simulate
