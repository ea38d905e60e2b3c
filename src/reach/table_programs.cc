#include "reach/table_programs.h"

#include <vector>

namespace heddle::reach {
namespace {

constexpr auto kSemaphore = ObjectType::kCountingSemaphore;

// Producers deposit and consumers withdraw through a monitor.
Program BoundedBufferMonitor(int producers, int consumers, int slots, ObjectType type,
                             bool signal_all) {
  Program program;
  const Index monitor = AddObject(program, type);
  const Index not_full = AddCondition(program, monitor);
  const Index not_empty = AddCondition(program, monitor);
  const Var full = AddVariable(program);
  const auto half = [&](Comparison must_wait, Index wait, int change, Index signal) {
    Writer t(&program);
    t.Enter(monitor);
    t.WhileAny({{must_wait}}, [&] { t.Wait(wait); });
    t.Increase(full, change);
    if (signal_all) {
      t.SignalAll(signal);
    } else {
      t.Signal(signal);
    }
    t.Exit(monitor);
  };
  for (int i = 0; i < producers; ++i) half(full == slots, not_full, 1, not_empty);
  for (int i = 0; i < consumers; ++i) half(full == 0, not_empty, -1, not_full);
  return program;
}

}  // namespace

Program BoundedBufferSelect(int producers, int consumers, int slots) {
  Program program;
  const Index buffer = 0;  // the first thread
  const Index deposit = AddObject(program, ObjectType::kSyncPort, 0, buffer);
  const Index withdraw = AddObject(program, ObjectType::kSyncPort, 0, buffer);
  std::vector<Index> reply;
  for (int i = 0; i < consumers; ++i) {
    const auto consumer = static_cast<Index>(1 + producers + i);
    reply.push_back(AddObject(program, ObjectType::kSyncPort, 0, consumer));
  }
  const Var full = AddVariable(program);
  const Var who = AddVariable(program);
  Writer b(&program);
  for (int i = 0; i < producers + consumers; ++i) {
    b.Select({{.port = deposit, .guard = {full < slots}, .body = [&] { b.Increase(full, 1); }},
              {.port = withdraw, .guard = {full > 0}, .into = who.id, .body = [&] {
                 for (int c = 0; c < consumers; ++c) {
                   b.If({who == c}, [&] { b.Send(reply[c]); });
                 }
                 b.Increase(full, -1);
               }}});
  }
  for (int i = 0; i < producers; ++i) Writer(&program).Send(deposit);
  for (int i = 0; i < consumers; ++i) {
    Writer(&program).Send(withdraw, Constant(i)).Receive(reply[i]);
  }
  return program;
}

Program BoundedBufferSemaphore(int producers, int consumers, int slots) {
  Program program;
  const Index not_full = AddObject(program, kSemaphore, slots);
  const Index not_empty = AddObject(program, kSemaphore, 0);
  const Index mutex_deposit = AddObject(program, kSemaphore, 1);
  const Index mutex_withdraw = AddObject(program, kSemaphore, 1);
  for (int i = 0; i < producers; ++i) {
    Writer(&program).P(mutex_deposit).P(not_full).V(not_empty).V(mutex_deposit);
  }
  for (int i = 0; i < consumers; ++i) {
    Writer(&program).P(mutex_withdraw).P(not_empty).V(not_full).V(mutex_withdraw);
  }
  return program;
}

Program BoundedBufferSU(int producers, int consumers, int slots) {
  return BoundedBufferMonitor(producers, consumers, slots, ObjectType::kMonitorSU, false);
}

Program BoundedBufferSC(int producers, int consumers, int slots) {
  return BoundedBufferMonitor(producers, consumers, slots, ObjectType::kMonitorSC, true);
}

// Readers first, by passing the baton.
Program ReadersWritersSemaphore(int readers, int writers) {
  Program program;
  const Index mutex = AddObject(program, kSemaphore, 1);
  const Index readers_queue = AddObject(program, kSemaphore, 0);
  const Index writers_queue = AddObject(program, kSemaphore, 0);
  const Var active_readers = AddVariable(program);
  const Var active_writers = AddVariable(program);
  const Var waiting_readers = AddVariable(program);
  const Var waiting_writers = AddVariable(program);
  for (int i = 0; i < readers; ++i) {
    Writer t(&program);
    t.P(mutex);
    t.If({active_writers > 0}, [&] { t.Increase(waiting_readers, 1).V(mutex).P(readers_queue); });
    t.Increase(active_readers, 1);
    t.If(
        {waiting_readers > 0}, [&] { t.Increase(waiting_readers, -1).V(readers_queue); },
        [&] { t.V(mutex); });
    t.P(mutex).Increase(active_readers, -1);
    t.If(
        {active_readers == 0, waiting_writers > 0},
        [&] { t.Increase(waiting_writers, -1).V(writers_queue); }, [&] { t.V(mutex); });
  }
  for (int i = 0; i < writers; ++i) {
    Writer t(&program);
    t.P(mutex);
    t.IfAny({{active_readers > 0}, {active_writers > 0}},
            [&] { t.Increase(waiting_writers, 1).V(mutex).P(writers_queue); });
    t.Increase(active_writers, 1).V(mutex);
    t.P(mutex).Increase(active_writers, -1);
    t.If(
        {waiting_readers > 0}, [&] { t.Increase(waiting_readers, -1).V(readers_queue); },
        [&] {
          t.If(
              {waiting_writers > 0}, [&] { t.Increase(waiting_writers, -1).V(writers_queue); },
              [&] { t.V(mutex); });
        });
  }
  return program;
}

Program ReadersWritersSU(int readers, int writers) {
  Program program;
  const Index monitor = AddObject(program, ObjectType::kMonitorSU);
  const Index readers_queue = AddCondition(program, monitor);
  const Index writers_queue = AddCondition(program, monitor);
  const Var writing = AddVariable(program);
  const Var reading = AddVariable(program);
  for (int i = 0; i < readers; ++i) {
    Writer t(&program);
    t.Enter(monitor);
    t.If({writing == 1}, [&] { t.Wait(readers_queue); });
    t.Increase(reading, 1).SignalAndExit(readers_queue);
    t.Enter(monitor).Increase(reading, -1);
    t.If(
        {reading == 0}, [&] { t.SignalAndExit(writers_queue); }, [&] { t.Exit(monitor); });
  }
  for (int i = 0; i < writers; ++i) {
    Writer t(&program);
    t.Enter(monitor);
    t.IfAny({{writing == 1}, {reading > 0}}, [&] { t.Wait(writers_queue); });
    t.Set(writing, 1).Exit(monitor);
    t.Enter(monitor).Set(writing, 0);
    t.If(
        {HasWaiters(readers_queue)}, [&] { t.SignalAndExit(readers_queue); },
        [&] { t.SignalAndExit(writers_queue); });
  }
  return program;
}

// The form of the authors' later source. Its number of sequences is not the paper's.
Program ReadersWritersSC(int readers, int writers) {
  Program program;
  const Index monitor = AddObject(program, ObjectType::kMonitorSC);
  const Index readers_queue = AddCondition(program, monitor);
  const Index writers_queue = AddCondition(program, monitor);
  const Var writing = AddVariable(program);
  const Var reading = AddVariable(program);
  const Var signalled = AddVariable(program);
  for (int i = 0; i < readers; ++i) {
    Writer t(&program);
    t.Enter(monitor);
    t.If({writing == 1}, [&] { t.Wait(readers_queue).Increase(signalled, -1); });
    t.Increase(reading, 1).Exit(monitor);
    t.Enter(monitor).Increase(reading, -1);
    t.If({reading == 0, signalled == 0}, [&] { t.Signal(writers_queue); });
    t.Exit(monitor);
  }
  for (int i = 0; i < writers; ++i) {
    Writer t(&program);
    t.Enter(monitor);
    t.WhileAny({{reading > 0}, {writing == 1}, {HasWaiters(readers_queue)}, {signalled > 0}},
               [&] { t.Wait(writers_queue); });
    t.Set(writing, 1).Exit(monitor);
    t.Enter(monitor).Set(writing, 0);
    t.If(
        {HasWaiters(readers_queue)},
        [&] { t.Set(signalled, Length(readers_queue)).SignalAll(readers_queue); },
        [&] { t.Signal(writers_queue); });
    t.Exit(monitor);
  }
  return program;
}

Program ReadersWritersSelect(int readers, int writers) {
  Program program;
  const Index controller = 0;
  const auto port = [&] { return AddObject(program, ObjectType::kSyncPort, 0, controller); };
  const Index start_read = port();
  const Index end_read = port();
  const Index start_write = port();
  const Index end_write = port();
  const Var writing = AddVariable(program);
  const Var reading = AddVariable(program);
  Writer c(&program);
  for (int i = 0; i < 2 * (readers + writers); ++i) {
    c.Select(
        {{.port = start_read, .guard = {writing == 0}, .body = [&] { c.Increase(reading, 1); }},
         {.port = end_read, .guard = {}, .body = [&] { c.Increase(reading, -1); }},
         {.port = start_write,
          .guard = {writing == 0, reading == 0},
          .body = [&] { c.Set(writing, 1); }},
         {.port = end_write, .guard = {}, .body = [&] { c.Set(writing, 0); }}});
  }
  for (int i = 0; i < readers; ++i) Writer(&program).Send(start_read).Send(end_read);
  for (int i = 0; i < writers; ++i) Writer(&program).Send(start_write).Send(end_write);
  return program;
}

// A philosopher whom both neighbours keep from eating becomes starving, and then they have to wait.
Program PhilosophersSU(int philosophers) {
  enum State { kThinking, kHungry, kStarving, kEating };
  Program program;
  const Index monitor = AddObject(program, ObjectType::kMonitorSU);
  const int n = philosophers;
  std::vector<Index> self;
  std::vector<Var> state;
  for (int i = 0; i < n; ++i) {
    self.push_back(AddCondition(program, monitor));
    state.push_back(AddVariable(program, kThinking));
  }
  for (int i = 0; i < n; ++i) {
    Writer t(&program);
    const auto test = [&](int k) {
      const Var mine = state[k];
      const Var left = state[(k + n - 1) % n];
      const Var right = state[(k + 1) % n];
      t.If(
          {mine > kThinking, mine < kEating, left < kStarving, right < kStarving},
          [&] { t.Set(mine, kEating).Signal(self[k]); },
          [&] {
            t.If({mine == kHungry, left != kStarving, right != kStarving},
                 [&] { t.Set(mine, kStarving); });
          });
    };
    t.Enter(monitor).Set(state[i], kHungry);
    test(i);
    t.If({state[i] != kEating}, [&] { t.Wait(self[i]); });
    t.Exit(monitor);
    t.Enter(monitor).Set(state[i], kThinking);
    test((i + n - 1) % n);
    test((i + 1) % n);
    t.Exit(monitor);
  }
  return program;
}

Program PhilosophersSemaphore(int philosophers) {
  Program program;
  std::vector<Index> fork;
  for (int i = 0; i < philosophers; ++i) fork.push_back(AddObject(program, kSemaphore, 1));
  for (int i = 0; i < philosophers; ++i) {
    const Index left = fork[i];
    const Index right = fork[(i + 1) % philosophers];
    Writer(&program).P(left).P(right).V(left).V(right);
  }
  return program;
}

std::span<const TableRow> TableOne() {
  static constexpr TableRow kRows[] = {
      {"BB-Select", "3P + 3C + 2S", "BB-Select", [] { return BoundedBufferSelect(3, 3, 2); }, 144,
       144},
      {"BB-Semaphore", "3P + 3C + 2S", "BB-Semaphore",
       [] { return BoundedBufferSemaphore(3, 3, 2); }, 324, 324},
      {"BB-Monitor SU", "3P + 3C + 2S", "BB-Monitor-SU", [] { return BoundedBufferSU(3, 3, 2); },
       720, 720},
      {"BB-Monitor SC", "3P + 3C + 2S", "BB-Monitor-SC", [] { return BoundedBufferSC(3, 3, 2); },
       12096, 12096},
      {"RW-Semaphore", "2R + 2W", "RW-Semaphore-2R+2W",
       [] { return ReadersWritersSemaphore(2, 2); }, 608, 608},
      {"RW-Semaphore", "2R + 3W", "RW-Semaphore-2R+3W",
       [] { return ReadersWritersSemaphore(2, 3); }, 12816, 12816},
      {"RW-Semaphore", "3R + 2W", "RW-Semaphore-3R+2W",
       [] { return ReadersWritersSemaphore(3, 2); }, 21744, 21744},
      {"RW-Monitor SC", "3R + 2W", "RW-Monitor-SC", [] { return ReadersWritersSC(3, 2); }, 70020,
       0},
      {"RW-Monitor SU", "3R + 2W", "RW-Monitor-SU", [] { return ReadersWritersSU(3, 2); }, 13320,
       13320},
      {"RW-Select", "3R + 2W", "RW-Select", [] { return ReadersWritersSelect(3, 2); }, 768, 768},
      {"DP-Monitor SU", "3", "DP-Monitor-SU-3", [] { return PhilosophersSU(3); }, 30, 30},
      {"DP-Monitor SU", "4", "DP-Monitor-SU-4", [] { return PhilosophersSU(4); }, 624, 624},
      {"DP-Monitor SU", "5", "DP-Monitor-SU-5", [] { return PhilosophersSU(5); }, 19330, 19330},
  };
  return kRows;
}

}  // namespace heddle::reach
