// What a Program means, a second time and plainly: states that can be copied, one step at a time.
//
// The enumerators walk all interleavings with it. It shares nothing with the Machine but the
// Program, so that one checks the other.
#ifndef HEDDLE_SIMULATE_INTERPRETER_H_
#define HEDDLE_SIMULATE_INTERPRETER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/program.h"

namespace heddle::simulate {

// An executed operation, named the same in every interleaving that has it.
struct EventName {
  int thread = 0;  // in the program
  int nth = 0;     // of that thread, from 0
  OpKind kind = OpKind::kNone;
  int object = -1;      // in the program; -1 = none
  int second = -1;      // the mutex of a wait, the clock of one with a time limit
  int woken = -1;       // thread that a signal reached, in the program
  bool failed = false;  // a try that did not get it, in time, or found another value

  friend auto operator<=>(const EventName&, const EventName&) = default;
};

// Whether the order of two events matters: same thread, or same object unless both only look at it,
// both join its waiters, or both add to its count. A try that failed has looked.
bool Dependent(const EventName& a, const EventName& b);

struct ThreadState {
  int program_thread = 0;
  int pc = 0;
  int executed = 0;
  bool waiting = false;  // in a condition, not woken yet
  bool waking = false;   // has waited, needs its mutex again
  std::vector<std::int64_t> registers = std::vector<std::int64_t>(kRegisters);
};

struct State {
  std::vector<ThreadState> threads;  // in creation order
  std::vector<std::int64_t> values;
  std::vector<bool> held;
  bool over = false;  // a thread ended the process
  bool failed = false;
};

State InitialState(const Program& program);
bool HasEnded(const Program& program, const ThreadState& thread);
// Whether it has not ended and can go on without a time-out.
bool IsEnabled(const Program& program, const State& state, const ThreadState& thread);
// The next operation of a thread that has not ended, as it would be carried out now.
EventName NextEvent(const Program& program, const State& state, const ThreadState& thread);
// Threads that can go on, as indices in State::threads: where one of them is about to create or
// join, that one alone, because those run at once. Waiting with a time-out is going on, too.
std::vector<int> Choices(const Program& program, const State& state);
// Threads that a signal of `thread` could reach: empty unless its next step is a signal.
std::vector<int> WaitersOf(const Program& program, const State& state, int thread);
// Makes the next step of `thread`; `waiter` is woken if the step is a signal, -1 = nobody.
void Execute(const Program& program, State& state, int thread, int waiter);

}  // namespace heddle::simulate

#endif  // HEDDLE_SIMULATE_INTERPRETER_H_
