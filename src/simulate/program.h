// A concurrent program as data: threads of steps, each step one visible operation on one object.
//
// Small enough to enumerate, rich enough for every strategy: values, assertions, branches, locks,
// semaphores, condition variables, threads that start threads. All threads but those that a Create
// starts are there from the beginning, as if released at once.
//
//   Program program;                       // the assertion fails in one order of three
//   program.Thread({Write(x, Const(1)), Read(x).Into(0).Assert(Is::kEqual, 1)});
//   program.Thread({Write(x, Const(2))});
#ifndef HEDDLE_SIMULATE_PROGRAM_H_
#define HEDDLE_SIMULATE_PROGRAM_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trace/op.h"

namespace heddle::simulate {

inline constexpr int kMaxSimulatedThreads = 64;
inline constexpr int kRegisters = 4;

// An object's number in its program, from 0. What it is (variable, lock, semaphore, condition)
// follows from the steps that use it.
using Object = std::uint16_t;

// constant + up to two registers of the thread.
struct Value {
  std::int64_t constant = 0;
  std::int8_t first = -1;  // register, -1 = none
  std::int8_t second = -1;
};
inline Value Const(std::int64_t constant) { return {.constant = constant}; }
inline Value Reg(int index) { return {.first = static_cast<std::int8_t>(index)}; }
inline Value Sum(int first, int second) {
  return {.first = static_cast<std::int8_t>(first), .second = static_cast<std::int8_t>(second)};
}

enum class Is : std::uint8_t { kAnything, kEqual, kNotEqual, kLess };

struct Step {
  OpKind kind = OpKind::kNone;
  Object object = 0;
  Object mutex = 0;              // of a Wait; the descriptors of a Send, the channel of a Look
  std::int16_t clock = -1;       // that a timed step moves on when it gives up; -1 = none
  std::int8_t index = -1;        // register added to `object`
  std::int8_t into = -1;         // register that gets the value read
  std::int8_t skip = 0;          // steps to jump when the condition does not hold; may be negative
  bool timed = false;            // a SemWait or Wait that may give up
  bool waits = false;            // a Send or Receive, until it can be done
  bool asserts = false;          // ... or the assertion that fails then
  bool compares = false;         // an Add that is a CompareExchange
  Is condition = Is::kAnything;  // on the value read
  std::int64_t operand = 0;
  std::int64_t deadline = 0;  // of a timed step that has a clock, of a Sleep
  Value value;                // to write, to add
  Value expected;             // by a CompareExchange
  std::uint16_t thread = 0;   // index in Program::threads, of a Create or Join

  Step& Into(int target) {
    into = static_cast<std::int8_t>(target);
    return *this;
  }
  // Of a timed step: giving up makes it at least that late.
  Step& Until(Object on_clock, std::int64_t at) {
    clock = static_cast<std::int16_t>(on_clock);
    deadline = at;
    return *this;
  }
  Step& At(int index_register) {
    index = static_cast<std::int8_t>(index_register);
    return *this;
  }
  Step& Assert(Is relation, std::int64_t with) {
    asserts = true;
    condition = relation;
    operand = with;
    return *this;
  }
  // Jumps over `steps` steps unless the value read is in the relation.
  Step& Unless(Is relation, std::int64_t with, int steps) {
    condition = relation;
    operand = with;
    skip = static_cast<std::int8_t>(steps);
    return *this;
  }
};

inline Step Make(OpKind kind, Object object) {
  Step step;
  step.kind = kind;
  step.object = object;
  return step;
}
inline Step Read(Object object) { return Make(OpKind::kAtomicLoad, object); }
inline Step Write(Object object, Value value) {
  Step step = Make(OpKind::kAtomicStore, object);
  step.value = value;
  return step;
}
// Adds to the object; the value read is the one before.
inline Step Add(Object object, Value value) {
  Step step = Make(OpKind::kAtomicRmw, object);
  step.value = value;
  return step;
}
// Writes `desired` if the object is `expected`; the value read is then 1, otherwise 0.
inline Step CompareExchange(Object object, Value expected, Value desired) {
  Step step = Make(OpKind::kAtomicRmw, object);
  step.compares = true;
  step.expected = expected;
  step.value = desired;
  return step;
}
inline Step Lock(Object mutex) { return Make(OpKind::kLock, mutex); }
// Takes the mutex if it is free; the value read is then 1, otherwise 0.
inline Step TryLock(Object mutex) { return Make(OpKind::kTryLock, mutex); }
inline Step Unlock(Object mutex) { return Make(OpKind::kUnlock, mutex); }
// A read-write lock that prefers readers; trying reads 1 if it got it, otherwise 0.
inline Step ReadLock(Object lock) { return Make(OpKind::kReadLock, lock); }
inline Step TryReadLock(Object lock) { return Make(OpKind::kTryReadLock, lock); }
inline Step ReadUnlock(Object lock) { return Make(OpKind::kReadUnlock, lock); }
inline Step WriteLock(Object lock) { return Make(OpKind::kWriteLock, lock); }
inline Step TryWriteLock(Object lock) { return Make(OpKind::kTryWriteLock, lock); }
inline Step WriteUnlock(Object lock) { return Make(OpKind::kWriteUnlock, lock); }
inline Step SemWait(Object semaphore) { return Make(OpKind::kSemWait, semaphore); }
// May give up while it would have to wait; the value read is then 0, otherwise 1.
inline Step TimedSemWait(Object semaphore) {
  Step step = Make(OpKind::kSemWait, semaphore);
  step.timed = true;
  return step;
}
// Takes one if there is one; the value read is then 1, otherwise 0.
inline Step SemTryWait(Object semaphore) { return Make(OpKind::kSemTryWait, semaphore); }
inline Step SemPost(Object semaphore) { return Make(OpKind::kSemPost, semaphore); }
inline Step Wait(Object condition, Object mutex) {
  Step step = Make(OpKind::kWait, condition);
  step.mutex = mutex;
  return step;
}
// May give up while nobody has woken it.
inline Step TimedWait(Object condition, Object mutex) {
  Step step = Wait(condition, mutex);
  step.timed = true;
  return step;
}
inline Step Signal(Object condition) { return Make(OpKind::kSignal, condition); }
inline Step Broadcast(Object condition) { return Make(OpKind::kBroadcast, condition); }
// A channel: how much is in it is its value. It has room while there is less than kRoom, for as
// much as is sent at once. Receiving takes up to `most` and reads how much it was; what does not
// wait reads 0 and changes nothing where it would have had to. At the end of a channel (Close)
// receiving never waits, and nothing is sent. `all` stands for all descriptors.
inline constexpr std::int64_t kRoom = 2;
inline Step OnChannel(OpKind kind, Object channel, Object all, std::int64_t amount) {
  Step step = Make(kind, channel);
  step.mutex = all;
  step.waits = kind != OpKind::kDescriptor;
  step.value = Const(amount);
  return step;
}
inline Step Send(Object channel, Object all, std::int64_t amount) {
  return OnChannel(OpKind::kSend, channel, all, amount);
}
inline Step Receive(Object channel, Object all, std::int64_t most) {
  return OnChannel(OpKind::kReceive, channel, all, most);
}
inline Step Close(Object channel, Object all) {
  return OnChannel(OpKind::kDescriptor, channel, all, 0);
}
// Reads how much is in the channel, as one that asks about all descriptors.
inline Step Look(Object all, Object channel) {
  Step step = Make(OpKind::kPoll, all);
  step.mutex = channel;
  return step;
}
// The run ends here, whatever the other threads are at.
inline Step Exit(Object process) { return Make(OpKind::kProcessExit, process); }
// The clock's value is the time: it is at least that late from now on.
inline Step Sleep(Object clock, std::int64_t deadline) {
  Step step = Make(OpKind::kSleep, clock);
  step.deadline = deadline;
  return step;
}
inline Step ReadTime(Object clock) { return Make(OpKind::kTime, clock); }
inline Step Yield() { return Make(OpKind::kYield, 0); }
// Threads are started at most once each; a Join waits for a thread that was started or is there
// from the beginning.
inline Step Create(int thread) {
  Step step = Make(OpKind::kCreate, 0);
  step.thread = static_cast<std::uint16_t>(thread);
  return step;
}
inline Step Join(int thread) {
  Step step = Make(OpKind::kJoin, 0);
  step.thread = static_cast<std::uint16_t>(thread);
  return step;
}

struct Program {
  std::string name;
  std::vector<std::vector<Step>> threads;
  std::vector<std::int64_t> initial;  // value of object i, count of semaphore i; 0 behind the end

  // Returns the thread's index.
  int Thread(std::vector<Step> steps) {
    threads.push_back(std::move(steps));
    return static_cast<int>(threads.size()) - 1;
  }
  // Objects used or given a value, those reached by an index register included.
  int ObjectCount() const;
  // Steps of all threads.
  int StepCount() const;
  // Bit i: thread i is there from the beginning.
  std::uint64_t InitialThreads() const;
};

// Whether a value is in a relation.
inline bool Holds(Is relation, std::int64_t value, std::int64_t operand) {
  switch (relation) {
    case Is::kAnything:
      return true;
    case Is::kEqual:
      return value == operand;
    case Is::kNotEqual:
      return value != operand;
    case Is::kLess:
      return value < operand;
  }
  return true;
}

// Steps on one channel: they name all descriptors as their second object.
inline bool IsOnChannel(OpKind kind) {
  return kind == OpKind::kSend || kind == OpKind::kReceive || kind == OpKind::kDescriptor;
}

// Steps that act on no object of the program.
inline bool TouchesNoObject(OpKind kind) {
  return kind == OpKind::kYield || kind == OpKind::kCreate || kind == OpKind::kJoin;
}

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_PROGRAM_H_
