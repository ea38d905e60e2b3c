#include "reach/configurations.h"

#include <utility>

#include "reach/table_programs.h"

namespace heddle::reach {
namespace {

class List {
 public:
  void Add(std::string name, Program program) {
    all_.push_back({std::move(name), std::move(program)});
  }
  std::vector<Configuration> Take() { return std::move(all_); }

 private:
  std::vector<Configuration> all_;
};

std::string Size(int a, int b) { return std::to_string(a) + "," + std::to_string(b); }
std::string Size(int a, int b, int c) { return Size(a, b) + "," + std::to_string(c); }

void AddBuffers(List& list) {
  for (int producers = 1; producers <= 3; ++producers) {
    for (int consumers = 1; consumers <= 3; ++consumers) {
      for (int slots = 1; slots <= 3; ++slots) {
        const std::string size = Size(producers, consumers, slots);
        list.Add("BB-Select " + size, BoundedBufferSelect(producers, consumers, slots));
        list.Add("BB-Semaphore " + size, BoundedBufferSemaphore(producers, consumers, slots));
        list.Add("BB-SU " + size, BoundedBufferSU(producers, consumers, slots));
        list.Add("BB-SC " + size, BoundedBufferSC(producers, consumers, slots));
      }
    }
  }
  for (int items = 2; items <= 4; ++items) {
    for (int slots = 1; slots <= 3; ++slots) {
      const std::string size = Size(1, 1, slots) + " x " + std::to_string(items);
      list.Add("BB-Select " + size, Repeated(BoundedBufferSelect(1, 1, slots), items));
      list.Add("BB-Semaphore " + size, Repeated(BoundedBufferSemaphore(1, 1, slots), items));
      list.Add("BB-SU " + size, Repeated(BoundedBufferSU(1, 1, slots), items));
      list.Add("BB-SC " + size, Repeated(BoundedBufferSC(1, 1, slots), items));
    }
  }
}

void AddReadersWriters(List& list) {
  for (int readers = 0; readers <= 3; ++readers) {
    for (int writers = 0; writers <= 2; ++writers) {
      if (readers + writers == 0) continue;
      const std::string size = Size(readers, writers);
      list.Add("RW-Semaphore " + size, ReadersWritersSemaphore(readers, writers));
      list.Add("RW-SU " + size, ReadersWritersSU(readers, writers));
      list.Add("RW-SC " + size, ReadersWritersSC(readers, writers));
      list.Add("RW-Select " + size, ReadersWritersSelect(readers, writers));
    }
  }
  list.Add("RW-Semaphore 1,1 x 2", Repeated(ReadersWritersSemaphore(1, 1), 2));
  list.Add("RW-SU 1,1 x 2", Repeated(ReadersWritersSU(1, 1), 2));
  list.Add("RW-SC 1,1 x 2", Repeated(ReadersWritersSC(1, 1), 2));
  list.Add("RW-Select 1,1 x 2", Repeated(ReadersWritersSelect(1, 1), 2));
}

void AddPhilosophers(List& list) {
  for (int n = 2; n <= 6; ++n) {
    list.Add("DP-SU " + std::to_string(n), PhilosophersSU(n));
    list.Add("DP-Semaphore " + std::to_string(n), PhilosophersSemaphore(n));
  }
  list.Add("DP-Semaphore 2 x 2", Repeated(PhilosophersSemaphore(2), 2));
  list.Add("DP-Semaphore 3 x 2", Repeated(PhilosophersSemaphore(3), 2));
}

void AddSemaphoresAndLocks(List& list) {
  for (const ObjectType type : {ObjectType::kCountingSemaphore, ObjectType::kBinarySemaphore}) {
    const bool binary = type == ObjectType::kBinarySemaphore;
    for (int initial = 0; initial <= (binary ? 1 : 3); ++initial) {
      for (int threads = 2; threads <= 4; ++threads) {
        Program section;
        const Index s = AddObject(section, type, initial);
        for (int t = 0; t < threads; ++t) Writer(&section).P(s).V(s);
        const std::string size = Size(initial, threads);
        list.Add((binary ? "P V binary " : "P V ") + size, section);
        Program mixed;
        const Index m = AddObject(mixed, type, initial);
        for (int t = 0; t < threads; ++t) {
          if (t % 2 == 0) {
            Writer(&mixed).V(m).P(m);
          } else {
            Writer(&mixed).P(m).P(m);
          }
        }
        list.Add((binary ? "V P, P P binary " : "V P, P P ") + size, mixed);
      }
    }
  }
  for (int threads = 2; threads <= 3; ++threads) {
    Program recursive;
    const Index a = AddObject(recursive, ObjectType::kLock);
    const Index b = AddObject(recursive, ObjectType::kLock);
    for (int t = 0; t < threads; ++t) {
      const Index first = t % 2 == 0 ? a : b;
      const Index second = t % 2 == 0 ? b : a;
      Writer(&recursive)
          .Lock(first)
          .Lock(first)
          .Lock(second)
          .Unlock(first)
          .Unlock(second)
          .Unlock(first);
    }
    list.Add("recursive locks in both orders " + std::to_string(threads), recursive);
  }
}

void AddPorts(List& list) {
  const std::pair<ObjectType, int> kinds[] = {{ObjectType::kAsyncPort, 0},
                                              {ObjectType::kBoundedPort, 1},
                                              {ObjectType::kBoundedPort, 2},
                                              {ObjectType::kSyncPort, 0}};
  for (const auto& [type, room] : kinds) {
    const std::string kind = std::to_string(static_cast<int>(type)) + "/" + std::to_string(room);
    for (int senders = 1; senders <= 3; ++senders) {
      for (int messages = 1; messages <= 2; ++messages) {
        Program one;
        const Index port = AddObject(one, type, room, 0);
        Writer receiver(&one);
        for (int i = 0; i < senders * messages; ++i) receiver.Receive(port);
        for (int s = 0; s < senders; ++s) {
          Writer sender(&one);
          for (int i = 0; i < messages; ++i) sender.Send(port);
        }
        list.Add("port " + kind + " " + Size(senders, messages), one);
      }
    }
    // Which alternative is open depends on what was received before.
    Program guarded;
    const Index left = AddObject(guarded, type, room, 0);
    const Index right = AddObject(guarded, ObjectType::kAsyncPort, 0, 0);
    const Var last = AddVariable(guarded);
    Writer receiver(&guarded);
    for (int i = 0; i < 4; ++i) {
      receiver.Select(
          {{.port = left, .guard = {last < 2}, .into = last.id}, {.port = right, .into = last.id}});
    }
    Writer(&guarded).Send(left, Constant(1)).Send(right, Constant(2));
    Writer(&guarded).Send(left, Constant(3)).Send(right, Constant(0));
    list.Add("select " + kind, guarded);
  }
}

enum class Wakes { kOne, kAll, kAndExit };

void AddSignals(List& list) {
  for (const ObjectType type : {ObjectType::kMonitorSC, ObjectType::kMonitorSU}) {
    for (const Wakes wakes : {Wakes::kOne, Wakes::kAll, Wakes::kAndExit}) {
      for (int waiters = 1; waiters <= 3; ++waiters) {
        Program program;
        const Index monitor = AddObject(program, type);
        const Index ready = AddCondition(program, monitor);
        const Var open = AddVariable(program);
        const Var passed = AddVariable(program);
        for (int w = 0; w < waiters; ++w) {
          Writer t(&program);
          t.Enter(monitor);
          t.WhileAny({{open == 0}}, [&] { t.Wait(ready); });
          t.Increase(passed, 1).Exit(monitor);
        }
        Writer t(&program);
        t.Enter(monitor).Set(open, 1);
        if (wakes == Wakes::kAndExit) {
          t.SignalAndExit(ready);
        } else {
          (wakes == Wakes::kAll ? t.SignalAll(ready) : t.Signal(ready)).Exit(monitor);
        }
        list.Add(std::string(type == ObjectType::kMonitorSC ? "SC" : "SU") + " signal " +
                     Size(static_cast<int>(wakes), waiters),
                 program);
      }
    }
  }
}

// Where hardly anything happens.
void AddDegenerate(List& list) {
  Program nothing;
  const Writer idle(&nothing);
  list.Add("no events", nothing);
  Program alone;
  const Index s = AddObject(alone, ObjectType::kCountingSemaphore, 1);
  Writer(&alone).P(s).V(s);
  list.Add("one thread", alone);
  Program stuck;
  const Index zero = AddObject(stuck, ObjectType::kCountingSemaphore, 0);
  for (int i = 0; i < 3; ++i) Writer(&stuck).P(zero);
  list.Add("an immediate deadlock", stuck);
  Program deaf;
  const Index never = AddObject(deaf, ObjectType::kAsyncPort, 0, 0);
  Writer(&deaf).Receive(never);
  const Writer silent(&deaf);
  list.Add("a thread that never receives", deaf);
  for (const ObjectType type :
       {ObjectType::kAsyncPort, ObjectType::kBoundedPort, ObjectType::kSyncPort}) {
    Program unread;
    const Index port = AddObject(unread, type, 1);
    Writer(&unread).Send(port).Send(port);
    Writer(&unread).Send(port);
    list.Add("a port nobody reads " + std::to_string(static_cast<int>(type)), unread);
  }
  Program closed;
  const Index p = AddObject(closed, ObjectType::kAsyncPort, 0, 0);
  const Var v = AddVariable(closed);
  Writer(&closed).Select({{.port = p, .guard = {v == 1}}});
  Writer(&closed).Send(p);
  list.Add("all guards closed", closed);
}

}  // namespace

Program Repeated(const Program& program, int rounds) {
  Program result = program;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    std::vector<Instruction>& code = result.threads[t];
    for (int round = 1; round < rounds; ++round) {
      const auto begin = static_cast<Index>(code.size());
      for (Instruction instruction : program.threads[t]) {
        instruction.target += begin;
        for (Alternative& alternative : instruction.alternatives) alternative.target += begin;
        code.push_back(std::move(instruction));
      }
    }
  }
  return result;
}

std::vector<Configuration> Configurations() {
  List list;
  AddBuffers(list);
  AddReadersWriters(list);
  AddPhilosophers(list);
  AddSemaphoresAndLocks(list);
  AddPorts(list);
  AddSignals(list);
  AddDegenerate(list);
  return list.Take();
}

}  // namespace heddle::reach
