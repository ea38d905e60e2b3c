// Abstract concurrent programs over every construct of the paper, as data.
//
// A program is a list of threads; a thread is a list of instructions over shared objects and
// integer variables, with jumps. Reachability assumes that a variable which several threads use is
// protected by a semaphore, lock or monitor; whoever writes a program sees to that.
#ifndef HEDDLE_REACH_PROGRAM_H_
#define HEDDLE_REACH_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "reach/sequence.h"

namespace heddle::reach {

enum class ObjectType : std::uint8_t {
  kCountingSemaphore,
  kBinarySemaphore,  // P and V both may block; completions alternate
  kLock,             // recursive
  kMonitorSC,        // signal and continue
  kMonitorSU,        // signal and urgent wait
  kAsyncPort,
  kBoundedPort,  // asynchronous, with room for `initial` messages
  kSyncPort,
};
constexpr bool IsPort(ObjectType type) { return type >= ObjectType::kAsyncPort; }
constexpr bool IsMonitor(ObjectType type) {
  return type == ObjectType::kMonitorSC || type == ObjectType::kMonitorSU;
}

struct Object {
  ObjectType type = ObjectType::kCountingSemaphore;
  int initial = 0;         // value of a semaphore, room of a bounded port
  Index receiver = kNone;  // thread, for ports
};

struct Operand {
  enum class Kind : std::uint8_t { kConstant, kVariable, kLength } kind = Kind::kConstant;
  int value = 0;  // the constant, the variable, or the condition whose waiters are counted
};
inline Operand Constant(int value) { return {Operand::Kind::kConstant, value}; }
inline Operand Length(Index condition) {
  return {Operand::Kind::kLength, static_cast<int>(condition)};
}

enum class Compare : std::uint8_t { kEqual, kNotEqual, kLess, kGreater };
struct Comparison {
  Operand left;
  Compare compare = Compare::kEqual;
  Operand right;
};
// All of them hold; empty is true.
using Guard = std::vector<Comparison>;

struct Alternative {
  Index port = 0;
  Index into = kNone;  // variable that takes the message
  Guard guard = {};
  Index target = 0;  // instruction to go on with
};

enum class Code : std::uint8_t {
  kP,
  kV,
  kLock,
  kUnlock,
  kEnter,
  kExit,
  kWait,
  kSignal,
  kSignalAll,
  kSignalAndExit,
  kSend,
  kReceive,
  kSelect,
  kSet,
  kAdd,
  kJumpIf,
  kJump,
};

struct Instruction {
  Code code = Code::kJump;
  Index object = 0;  // semaphore, lock, monitor, port, condition; variable of kSet, kAdd, kReceive
  Operand operand = {};  // message, value
  Guard guard = {};      // of kJumpIf
  Index target = 0;      // of a jump
  std::vector<Alternative> alternatives = {};
};

struct Program {
  std::vector<Object> objects;
  std::vector<Index> conditions;  // the monitor of each
  std::vector<int> variables;     // initial values
  std::vector<std::vector<Instruction>> threads;

  // Owners: object i for objects that complete operations themselves, then the threads.
  Index owners() const { return static_cast<Index>(objects.size() + threads.size()); }
  Index OwnerOfThread(Index thread) const { return static_cast<Index>(objects.size()) + thread; }
};

// A variable by name, for writing programs.
struct Var {
  Index id = 0;
  operator Operand() const {  // NOLINT: meant to convert
    return {Operand::Kind::kVariable, static_cast<int>(id)};
  }
};
inline Comparison operator==(Var v, Operand x) { return {v, Compare::kEqual, x}; }
inline Comparison operator==(Var v, int x) { return {v, Compare::kEqual, Constant(x)}; }
inline Comparison operator!=(Var v, int x) { return {v, Compare::kNotEqual, Constant(x)}; }
inline Comparison operator<(Var v, int x) { return {v, Compare::kLess, Constant(x)}; }
inline Comparison operator>(Var v, int x) { return {v, Compare::kGreater, Constant(x)}; }
inline Comparison IsEmpty(Index condition) {
  return {Length(condition), Compare::kEqual, Constant(0)};
}
inline Comparison HasWaiters(Index condition) {
  return {Length(condition), Compare::kGreater, Constant(0)};
}

// Writes the instructions of one thread, structured.
class Writer {
 public:
  using Body = std::function<void()>;
  explicit Writer(Program* program);  // a new thread
  Index thread() const { return thread_; }

  Writer& P(Index semaphore) { return Add({.code = Code::kP, .object = semaphore}); }
  Writer& V(Index semaphore) { return Add({.code = Code::kV, .object = semaphore}); }
  Writer& Lock(Index lock) { return Add({.code = Code::kLock, .object = lock}); }
  Writer& Unlock(Index lock) { return Add({.code = Code::kUnlock, .object = lock}); }
  Writer& Enter(Index monitor) { return Add({.code = Code::kEnter, .object = monitor}); }
  Writer& Exit(Index monitor) { return Add({.code = Code::kExit, .object = monitor}); }
  Writer& Wait(Index condition) { return Add({.code = Code::kWait, .object = condition}); }
  Writer& Signal(Index condition) { return Add({.code = Code::kSignal, .object = condition}); }
  Writer& SignalAll(Index condition) {
    return Add({.code = Code::kSignalAll, .object = condition});
  }
  Writer& SignalAndExit(Index condition) {
    return Add({.code = Code::kSignalAndExit, .object = condition});
  }
  Writer& Send(Index port, Operand message = {}) {
    return Add({.code = Code::kSend, .object = port, .operand = message});
  }
  Writer& Receive(Index port, Index into = kNone);
  Writer& Set(Var variable, Operand value) {
    return Add({.code = Code::kSet, .object = variable.id, .operand = value});
  }
  Writer& Set(Var variable, int value) { return Set(variable, Constant(value)); }
  Writer& Increase(Var variable, int by) {
    return Add({.code = Code::kAdd, .object = variable.id, .operand = Constant(by)});
  }
  Writer& If(const Guard& guard, const Body& then, const Body& otherwise = {});
  // Any of several conjunctions.
  Writer& IfAny(const std::vector<Guard>& guards, const Body& then, const Body& otherwise = {});
  Writer& WhileAny(const std::vector<Guard>& guards, const Body& body);

  struct Case {
    Index port = 0;
    Guard guard = {};
    Index into = kNone;
    Body body = {};
  };
  Writer& Select(const std::vector<Case>& cases);

 private:
  Writer& Add(Instruction instruction);
  std::vector<Instruction>& code() { return program_->threads[thread_]; }
  Index here() { return static_cast<Index>(code().size()); }
  Index AddJump(const Guard& guard);

  Program* program_;
  Index thread_;
};

Index AddObject(Program& program, ObjectType type, int initial = 0, Index receiver = kNone);
Index AddCondition(Program& program, Index monitor);
Var AddVariable(Program& program, int initial = 0);

}  // namespace heddle::reach

#endif  // HEDDLE_REACH_PROGRAM_H_
