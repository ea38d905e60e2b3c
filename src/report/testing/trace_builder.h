// Hand-made runs for tests of reports: events, decisions and symbols written down together.
//
//   TraceBuilder run;
//   const ObjectId counter = run.Memory("counter");
//   const ThreadId t1 = run.Create(kMainThread, "worker", At("a.cpp", 12, "main"));
//   run.Do(t1, OpKind::kRead, counter, {"a.cpp", 5, "worker"}).Value(0);
//   run.Preempt(t1, kMainThread);
#ifndef HEDDLE_REPORT_TESTING_TRACE_BUILDER_H_
#define HEDDLE_REPORT_TESTING_TRACE_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "symbols/fake_symbolizer.h"
#include "trace/run_trace.h"

namespace heddle {

// A line of source; all code on it is one return address.
struct Line {
  std::string file;
  int number = 0;
  std::string function;
  std::string text = "";  // what stands there; empty: "line N of FUNCTION"
};

class TraceBuilder {
 public:
  TraceBuilder();

  ObjectId Object(ObjectKind kind, const std::string& name);
  ObjectId Memory(const std::string& name) { return Object(ObjectKind::kMemory, name); }
  ObjectId Mutex(const std::string& name) { return Object(ObjectKind::kMutex, name); }
  ObjectId Condition(const std::string& name) { return Object(ObjectKind::kCondition, name); }

  // The new thread's object is what a join of it names. Its start is an event too.
  ThreadId Create(ThreadId parent, const Line& entry, const Line& where);
  ObjectId ObjectOf(ThreadId thread) const { return thread_objects_[thread]; }
  void Exit(ThreadId thread);
  void Join(ThreadId thread, ThreadId joined, const Line& where);

  // An executed operation; the event may be completed through the reference at once.
  Event& Do(ThreadId thread, OpKind kind, ObjectId object, const Line& where);
  Event& Access(ThreadId thread, OpKind kind, ObjectId object, std::uint64_t value,
                const Line& where);

  // A decision about the next event.
  DecisionRecord& Decide(DecisionKind kind, ThreadId current, ThreadId chosen,
                         bool current_enabled);
  void Preempt(ThreadId current, ThreadId chosen) {
    Decide(DecisionKind::kThread, current, chosen, /*current_enabled=*/true);
  }
  void GoOn(ThreadId thread) {
    Decide(DecisionKind::kThread, thread, thread, /*current_enabled=*/true);
  }
  void Blocked(ThreadId current, ThreadId chosen) {
    Decide(DecisionKind::kThread, current, chosen, /*current_enabled=*/false);
  }

  // What a thread was about to do when the run ended.
  void Pending(ThreadId thread, OpKind kind, ObjectId object, bool enabled, const Line& where);

  // Ends of a run.
  void Assert(ThreadId thread, const std::string& expression, const Line& where);
  void Crash(ThreadId thread, int signal, std::uint64_t address, const Line& where);
  void Deadlock(const std::vector<ThreadId>& cycle);
  void ExitWith(int status);

  FakeSymbolizer& symbols() { return symbols_; }
  // Valid until the next change.
  RunTrace Trace();
  std::uint64_t AddressOf(const Line& line);

  RunRecord record;
  Failure failure;

 private:
  std::vector<std::uint64_t> StackFor(ThreadId thread, const Line& where);
  StackRecord Store(const std::vector<std::uint64_t>& stack);

  FakeSymbolizer symbols_;
  std::vector<DecisionRecord> decisions_;
  std::vector<Event> events_;
  std::vector<ObjectRecord> objects_;
  std::vector<ThreadRecord> threads_;
  std::vector<StackRecord> thread_stacks_;
  std::vector<StackRecord> event_stacks_;
  std::vector<std::uint64_t> frames_;
  std::vector<ObjectId> thread_objects_;
  std::vector<Line> entries_;  // outermost line of each thread
  std::map<std::tuple<std::string, int, std::string>, std::uint64_t> addresses_;
};

}  // namespace heddle

#endif  // HEDDLE_REPORT_TESTING_TRACE_BUILDER_H_
