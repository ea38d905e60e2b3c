#include "report/testing/example_runs.h"

namespace heddle {

FindingContext ExampleContext(const std::string& program) {
  FindingContext context;
  context.invocation.program = "/work/" + program;
  context.invocation.working_directory = "/work";
  context.invocation.build_id = "0badc0de";
  context.invocation.heddle_version = "0.1.0";
  context.first_run = 17;
  context.replayed = true;
  return context;
}

TraceBuilder LostUpdate() {
  TraceBuilder run;
  const ObjectId counter = run.Memory("counter");
  const Line worker = {"lost_update.cpp", 8, "worker", "  counter = counter + 1;"};
  const Line entry = {"lost_update.cpp", 7, "worker"};
  const ThreadId t1 =
      run.Create(0, entry, {"lost_update.cpp", 12, "main", "std::thread a(worker);"});
  const ThreadId t2 =
      run.Create(0, entry, {"lost_update.cpp", 13, "main", "std::thread b(worker);"});
  run.Blocked(0, t1);
  run.Access(t1, OpKind::kRead, counter, 0, worker);
  run.Preempt(t1, t2);
  run.Access(t2, OpKind::kRead, counter, 0, worker);
  run.GoOn(t2);
  run.Access(t2, OpKind::kWrite, counter, 1, worker);
  run.Exit(t2);
  run.Access(t1, OpKind::kWrite, counter, 1, worker);
  run.Exit(t1);
  run.Join(0, t1, {"lost_update.cpp", 14, "main", "a.join();"});
  run.Join(0, t2, {"lost_update.cpp", 15, "main", "b.join();"});
  const Line check = {"lost_update.cpp", 16, "main", "  assert(counter == 2);"};
  run.Access(0, OpKind::kRead, counter, 1, check);
  run.Assert(0, "counter == 2", check);
  return run;
}

TraceBuilder Abba() {
  TraceBuilder run;
  const ObjectId a = run.Mutex("a"), b = run.Mutex("b");
  const ThreadId t1 = run.Create(0, {"abba.cpp", 5, "forwards"}, {"abba.cpp", 20, "main"});
  const ThreadId t2 = run.Create(0, {"abba.cpp", 11, "backwards"}, {"abba.cpp", 21, "main"});
  run.Blocked(0, t1);
  run.Do(t1, OpKind::kLock, a, {"abba.cpp", 6, "forwards", "  a.lock();"});
  run.Preempt(t1, t2);
  run.Do(t2, OpKind::kLock, b, {"abba.cpp", 12, "backwards", "  b.lock();"});
  run.Pending(0, OpKind::kJoin, run.ObjectOf(t1), false, {"abba.cpp", 22, "main"});
  run.Pending(t1, OpKind::kLock, b, false, {"abba.cpp", 7, "forwards", "  b.lock();"});
  run.Pending(t2, OpKind::kLock, a, false, {"abba.cpp", 13, "backwards", "  a.lock();"});
  run.Deadlock({t1, t2});
  return run;
}

TraceBuilder LostWakeUp() {
  TraceBuilder run;
  const ObjectId m = run.Mutex("m"), ready = run.Condition("ready"), done = run.Memory("done");
  const ThreadId t1 = run.Create(0, {"wakeup.cpp", 9, "waiter"}, {"wakeup.cpp", 20, "main"});
  run.GoOn(0);
  run.Access(0, OpKind::kWrite, done, 1, {"wakeup.cpp", 22, "main", "done = true;"});
  run.Do(0, OpKind::kSignal, ready, {"wakeup.cpp", 23, "main", "ready.notify_one();"});
  run.Do(t1, OpKind::kLock, m, {"wakeup.cpp", 10, "waiter"});
  run.Do(t1, OpKind::kWait, ready, {"wakeup.cpp", 11, "waiter", "ready.wait(lock);"});
  run.Pending(0, OpKind::kJoin, run.ObjectOf(t1), false, {"wakeup.cpp", 24, "main"});
  run.Pending(t1, OpKind::kWake, ready, false, {"wakeup.cpp", 11, "waiter"});
  run.Deadlock({});
  return run;
}

TraceBuilder Spinning() {
  TraceBuilder run;
  const ObjectId flag = run.Memory("flag");
  const Line spin = {"spin.cpp", 4, "waiter", "while (!flag.load()) {}"};
  const ThreadId t1 = run.Create(0, {"spin.cpp", 3, "waiter"}, {"spin.cpp", 9, "main"});
  for (int i = 0; i < 40; ++i) {
    if (i == 0) run.Preempt(0, t1);
    if (i > 0) run.GoOn(t1);
    run.Access(t1, OpKind::kAtomicLoad, flag, 0, spin);
  }
  for (int i = 0; i < 5; ++i) {
    run.Preempt(t1, 0);
    run.Do(0, OpKind::kYield, kNoObject, {"spin.cpp", 10, "main"});
    run.Preempt(0, t1);
    run.Access(t1, OpKind::kAtomicLoad, flag, 0, spin);
  }
  run.Preempt(t1, 0);
  run.Access(0, OpKind::kAtomicStore, flag, 1, {"spin.cpp", 11, "main", "flag.store(1);"});
  run.Preempt(0, t1);
  run.Access(t1, OpKind::kAtomicLoad, flag, 1, spin);
  run.Exit(t1);
  run.Join(0, t1, {"spin.cpp", 12, "main"});
  run.ExitWith(3);
  return run;
}

TraceBuilder LongStretch() {
  TraceBuilder run;
  const ObjectId items = run.Memory("items"), head = run.Memory("queue.head");
  const ThreadId t1 = run.Create(0, {"queue.cpp", 30, "Consumer::Run"}, {"queue.cpp", 50, "main"});
  for (int i = 0; i < 20; ++i) {
    run.Access(0, OpKind::kWrite, items, static_cast<std::uint64_t>(i), {"queue.cpp", 52, "Fill"});
  }
  run.Preempt(0, t1);
  run.Access(t1, OpKind::kRead, head, 0x7f0012345678, {"queue.cpp", 33, "Consumer::Pop"}).size = 8;
  run.Pending(0, OpKind::kWrite, items, true, {"queue.cpp", 52, "Fill"});
  run.Crash(t1, 11, 8, {"queue.cpp", 34, "Consumer::Pop", "return head->value;"});
  return run;
}

TraceBuilder ManyThreads() {
  TraceBuilder run;
  const ObjectId total = run.Memory("total");
  const Line add = {"many.cpp", 5, "Add", "total += 1;"};
  ThreadId last = 0;
  for (int i = 0; i < 12; ++i) {
    last = run.Create(0, {"many.cpp", 4, "Add"}, {"many.cpp", 10, "main"});
  }
  for (ThreadId thread = 1; thread <= last; ++thread) {
    run.Preempt(static_cast<ThreadId>(thread - 1), thread);
    run.Access(thread, OpKind::kRead, total, 0, add);
  }
  run.Access(last, OpKind::kWrite, total, 1, add);
  run.Assert(last, "total == 12", {"many.cpp", 6, "Add", "assert(total == 12);"});
  return run;
}

}  // namespace heddle
