// The dependence relation against brute force, pair by pair: two operations are independent exactly
// when no small state shows a difference between doing them in one order and in the other.
#include "trace/dependence.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulate/interpreter.h"
#include "simulate/program.h"

namespace heddle::simulate {
namespace {

constexpr Object kObject = 0, kOther = 1, kMutexA = 2, kMutexB = 3;

struct Operation {
  std::string name;
  Step step;
};

// On one object that is, as the operation has it, a variable, a lock, a semaphore or a condition.
// Two threads store different values.
std::vector<Operation> Operations(Object object, Object mutex) {
  return {{"load", Read(object).Into(0)},
          {"store", Write(object, Const(mutex))},
          {"add", Add(object, Const(1)).Into(0)},
          {"compare-exchange", CompareExchange(object, Const(1), Const(mutex)).Into(0)},
          {"lock", Lock(object)},
          {"try-lock", TryLock(object).Into(0)},
          {"unlock", Unlock(object)},
          {"sem-wait", SemWait(object)},
          {"timed sem-wait", TimedSemWait(object).Into(0)},
          {"sem-trywait", SemTryWait(object).Into(0)},
          {"sem-post", SemPost(object)},
          {"rdlock", ReadLock(object)},
          {"tryrdlock", TryReadLock(object).Into(0)},
          {"rdunlock", ReadUnlock(object)},
          {"wrlock", WriteLock(object)},
          {"trywrlock", TryWriteLock(object).Into(0)},
          {"wrunlock", WriteUnlock(object)},
          {"wait", Wait(object, mutex)},
          {"signal", Signal(object)},
          {"broadcast", Broadcast(object)},
          {"yield", Yield()}};
}

bool Belongs(const Step& step, OpKind to) {
  const auto family = [](OpKind kind) {
    switch (kind) {
      case OpKind::kLock:
      case OpKind::kTryLock:
      case OpKind::kUnlock:
        return 1;
      case OpKind::kSemWait:
      case OpKind::kSemTryWait:
      case OpKind::kSemPost:
        return 2;
      case OpKind::kWait:
      case OpKind::kSignal:
      case OpKind::kBroadcast:
        return 3;
      case OpKind::kReadLock:
      case OpKind::kTryReadLock:
      case OpKind::kReadUnlock:
      case OpKind::kWriteLock:
      case OpKind::kTryWriteLock:
      case OpKind::kWriteUnlock:
        return 4;
      default:
        return 0;
    }
  };
  return step.kind == OpKind::kYield || to == OpKind::kYield || family(step.kind) == family(to);
}

// Threads 0 and 1 are about to do the two operations; 2 and 3 may wait for the condition.
Program Around(const Step& a, const Step& b) {
  Program program;
  program.Thread({a});
  program.Thread({b});
  program.Thread({Wait(kObject, kMutexA)});
  program.Thread({Wait(kObject, kMutexB)});
  program.initial.assign(4, 0);
  return program;
}

std::vector<State> SmallStates(const Program& program, const Step& a, const Step& b) {
  std::vector<State> states;
  for (std::int64_t value = 0; value <= 2; ++value) {
    for (const bool held : {false, true}) {
      for (int waiters = 0; waiters < 4; ++waiters) {
        State state = InitialState(program);
        state.values[kObject] = state.values[kOther] = value;
        state.held[kObject] = state.held[kOther] = held;
        for (std::size_t t = 0; t < 2; ++t) {
          const bool waits = (waiters >> t & 1) != 0;
          state.threads[2 + t].waiting = state.threads[2 + t].waking = waits;
        }
        // Only who holds a lock gives it back; who writes is alone.
        const bool of_readers = Belongs(a, OpKind::kReadLock) && Belongs(b, OpKind::kReadLock);
        if (of_readers && held && value > 0) continue;
        const int leaving = (a.kind == OpKind::kReadUnlock ? 1 : 0) +
                            (b.kind == OpKind::kReadUnlock && a.object == b.object ? 1 : 0);
        if (leaving > value || (b.kind == OpKind::kReadUnlock && value == 0)) continue;
        const bool both_write = a.kind == OpKind::kWriteUnlock && b.kind == a.kind;
        if (both_write && a.object == b.object) continue;
        bool is_legal =
            a.kind != OpKind::kUnlock || b.kind != OpKind::kUnlock || a.object != b.object;
        for (const Step* const step : {&a, &b}) {
          const bool gives_back =
              step->kind == OpKind::kUnlock || step->kind == OpKind::kWriteUnlock;
          if (gives_back) is_legal = is_legal && state.held[step->object];
          if (step->kind == OpKind::kWait) state.held[step->mutex] = true;
        }
        if (is_legal) states.push_back(state);
      }
    }
  }
  return states;
}

bool CanRun(const Program& program, const State& state, int thread) {
  const ThreadState& who = state.threads[static_cast<std::size_t>(thread)];
  const Step& step = program.threads[static_cast<std::size_t>(thread)][0];
  return IsEnabled(program, state, who) || (step.kind == OpKind::kSemWait && step.timed);
}

std::string TextOf(const State& state) {
  std::string text;
  for (const ThreadState& thread : state.threads) {
    text += std::to_string(thread.pc) + (thread.waiting ? "w" : "-") + (thread.waking ? "k" : "-");
    for (const std::int64_t value : thread.registers) text += "," + std::to_string(value);
    text += ";";
  }
  for (const std::int64_t value : state.values) text += std::to_string(value) + " ";
  for (const bool held : state.held) text += held ? "h" : ".";
  return text;
}

std::string Woken(const State& before, const State& after) {
  std::string woken;
  for (std::size_t t = 2; t < 4; ++t) {
    if (before.threads[t].waiting && !after.threads[t].waiting) woken += std::to_string(t);
  }
  return woken;
}

// What can come of `first`, then `second`: the states, with whom each woke.
std::set<std::string> Outcomes(const Program& program, const State& state, int first, int second) {
  std::set<std::string> outcomes;
  if (!CanRun(program, state, first)) return outcomes;
  const auto each = [&](const State& from, int thread, const auto& go) {
    const std::vector<int> waiters = WaitersOf(program, from, thread);
    if (waiters.empty()) return go(-1);
    for (const int waiter : waiters) go(waiter);
  };
  each(state, first, [&](int reached_first) {
    State between = state;
    Execute(program, between, first, reached_first);
    if (!CanRun(program, between, second)) return;
    each(between, second, [&](int reached_second) {
      State after = between;
      Execute(program, after, second, reached_second);
      const std::string by_first = Woken(state, between);
      const std::string by_second = Woken(between, after);
      outcomes.insert(TextOf(after) + "|" + (first == 0 ? by_first : by_second) + "|" +
                      (first == 0 ? by_second : by_first));
    });
  });
  return outcomes;
}

// What the operation of `thread` can do, as a set of outcomes: another one must not add to it.
std::set<std::string> OwnOutcomes(const Program& program, const State& state, int thread) {
  std::set<std::string> outcomes;
  if (!CanRun(program, state, thread)) return outcomes;
  for (const int waiter : WaitersOf(program, state, thread)) {
    outcomes.insert(std::to_string(waiter));
  }
  if (outcomes.empty()) outcomes.insert("-");
  return outcomes;
}

bool Differs(const Program& program, const State& state) {
  if (Outcomes(program, state, 0, 1) != Outcomes(program, state, 1, 0)) return true;
  for (const int thread : {0, 1}) {
    const int other = 1 - thread;
    if (!CanRun(program, state, other)) continue;
    // All that it can do behind the other it could do before it, too.
    std::set<std::string> behind;
    const std::vector<int> waiters = WaitersOf(program, state, other);
    for (int i = 0; i < std::max<int>(1, static_cast<int>(waiters.size())); ++i) {
      State after = state;
      Execute(program, after, other, waiters.empty() ? -1 : waiters[static_cast<std::size_t>(i)]);
      behind.merge(OwnOutcomes(program, after, thread));
    }
    if (behind != OwnOutcomes(program, state, thread)) return true;
  }
  return false;
}

PendingOp PendingOf(const Step& step, bool same_object) {
  PendingOp op;
  op.kind = step.kind;
  if (TouchesNoObject(step.kind)) return op;
  op.object = same_object ? 1u : 2u;
  if (step.kind == OpKind::kWait) op.second = step.mutex + 10u;
  return op;
}

TEST(DependenceTest, TwoOperationsDependExactlyWhenSomeStateShowsTheirOrder) {
  int dependent = 0, independent = 0;
  for (const bool same_object : {true, false}) {
    for (const Operation& a : Operations(kObject, kMutexA)) {
      for (const Operation& b : Operations(same_object ? kObject : kOther, kMutexB)) {
        if (!Belongs(a.step, b.step.kind)) continue;  // one object is one kind of thing
        const Program program = Around(a.step, b.step);
        const std::vector<State> states = SmallStates(program, a.step, b.step);
        if (states.empty()) continue;  // two threads can't both hold a lock
        bool differs = false;
        for (const State& state : states) {
          differs = differs || Differs(program, state);
        }
        const bool claimed =
            heddle::Dependent(PendingOf(a.step, true), PendingOf(b.step, same_object));
        EXPECT_EQ(claimed, differs)
            << a.name << " and " << b.name << (same_object ? "" : " on different objects");
        ++(differs ? dependent : independent);
      }
    }
  }
  EXPECT_GT(dependent, 30);
  EXPECT_GT(independent, 60);
}

// What `first`, then `second` do in this state; nothing where one of them has to wait.
std::vector<EventName> InOrder(const Program& program, const State& state, int first, int second) {
  std::vector<EventName> events;
  State now = state;
  for (const int thread : {first, second}) {
    if (!CanRun(program, now, thread)) return {};
    events.push_back(NextEvent(program, now, now.threads[static_cast<std::size_t>(thread)]));
    Execute(program, now, thread, -1);
  }
  return events;
}

// Whether two that have been carried out, at least one of them in vain, depend on each other, by
// their outcomes and no more: exactly when some state in which they have those outcomes shows their
// order. (Two that both got something keep the relation of their kinds: of two that take from a
// semaphore the first might have taken the last.)
TEST(DependenceTest, TwoEventsDependExactlyWhenSomeStateWithTheirOutcomesShowsTheirOrder) {
  int dependent = 0, independent = 0;
  for (const Operation& a : Operations(kObject, kMutexA)) {
    for (const Operation& b : Operations(kObject, kMutexB)) {
      if (!Belongs(a.step, b.step.kind) || a.step.kind == OpKind::kSignal ||
          b.step.kind == OpKind::kSignal) {
        continue;  // whom a signal wakes is an outcome, too: the test above
      }
      const Program program = Around(a.step, b.step);
      std::map<std::pair<bool, bool>, bool> differs;  // by whether a and b failed
      std::map<std::pair<bool, bool>, bool> claimed;
      for (const State& state : SmallStates(program, a.step, b.step)) {
        for (const bool a_first : {true, false}) {
          const auto events = InOrder(program, state, a_first ? 0 : 1, a_first ? 1 : 0);
          if (events.empty()) continue;
          const EventName& of_a = events[a_first ? 0 : 1];
          const EventName& of_b = events[a_first ? 1 : 0];
          const std::pair<bool, bool> outcomes{of_a.failed, of_b.failed};
          const auto access = [](const EventName& event) {
            return event.failed ? FailedAccessOf(event.kind) : AccessOf(event.kind);
          };
          claimed[outcomes] = heddle::Dependent(PendingOf(a.step, true), access(of_a),
                                                PendingOf(b.step, true), access(of_b));
          differs[outcomes] = differs[outcomes] || Differs(program, state);
          EXPECT_EQ(simulate::Dependent(of_a, of_b), claimed[outcomes])
              << a.name << " and " << b.name << ": the plain reading of the relation";
        }
      }
      for (const auto& [outcomes, is_claimed] : claimed) {
        if (!outcomes.first && !outcomes.second) continue;
        EXPECT_EQ(is_claimed, differs[outcomes])
            << a.name << (outcomes.first ? " in vain" : "") << " and " << b.name
            << (outcomes.second ? " in vain" : "");
        ++(is_claimed ? dependent : independent);
      }
    }
  }
  EXPECT_GT(dependent, 15);
  EXPECT_GT(independent, 10);
}

}  // namespace
}  // namespace heddle::simulate
