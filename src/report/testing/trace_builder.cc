#include "report/testing/trace_builder.h"

#include <algorithm>
#include <cstring>

#include "trace/thread_path.h"

namespace heddle {

TraceBuilder::TraceBuilder() {
  objects_.emplace_back();
  record.run = 1;
  record.outcome = RunOutcome::kExited;
  ThreadRecord main;
  main.path_hash = kMainPathHash;
  threads_.push_back(main);
  thread_stacks_.emplace_back();
  thread_objects_.push_back(kNoObject);
  entries_.push_back({"main.cpp", 1, "main"});
}

std::uint64_t TraceBuilder::AddressOf(const Line& line) {
  const auto [found, is_new] = addresses_.emplace(std::tuple(line.file, line.number, line.function),
                                                  0x2000 + 0x10 * addresses_.size());
  if (is_new) {
    const std::string path = "/work/" + line.file;
    symbols_.AddFrame(found->second, line.function, path, line.number);
    symbols_.AddSource(path, line.number,
                       line.text.empty()
                           ? "line " + std::to_string(line.number) + " of " + line.function
                           : line.text);
  }
  return found->second;
}

ObjectId TraceBuilder::Object(ObjectKind kind, const std::string& name) {
  ObjectRecord object;
  object.kind = kind;
  object.address = 0x900000 + 8 * objects_.size();
  if (!name.empty()) symbols_.AddData(object.address, name);
  objects_.push_back(object);
  return static_cast<ObjectId>(objects_.size() - 1);
}

std::vector<std::uint64_t> TraceBuilder::StackFor(ThreadId thread, const Line& where) {
  std::vector<std::uint64_t> stack = {AddressOf(where)};
  if (where.function != entries_[thread].function) stack.push_back(AddressOf(entries_[thread]));
  return stack;
}

StackRecord TraceBuilder::Store(const std::vector<std::uint64_t>& stack) {
  const auto first = static_cast<std::uint32_t>(frames_.size());
  frames_.insert(frames_.end(), stack.begin(), stack.end());
  return {first, static_cast<std::uint32_t>(stack.size())};
}

Event& TraceBuilder::Do(ThreadId thread, OpKind kind, ObjectId object, const Line& where) {
  Event event;
  event.thread = thread;
  event.kind = kind;
  event.object = object;
  const std::vector<std::uint64_t> stack = StackFor(thread, where);
  event.site = stack[0];
  events_.push_back(event);
  event_stacks_.push_back(Store(stack));
  return events_.back();
}

Event& TraceBuilder::Access(ThreadId thread, OpKind kind, ObjectId object, std::uint64_t value,
                            const Line& where) {
  Event& event = Do(thread, kind, object, where);
  event.size = 4;
  event.value = value;
  event.flags = Event::kHasValue;
  return event;
}

ThreadId TraceBuilder::Create(ThreadId parent, const Line& entry, const Line& where) {
  const auto id = static_cast<ThreadId>(threads_.size());
  ThreadRecord thread;
  thread.parent = parent;
  thread.nth_child = 1;
  for (const ThreadRecord& other : threads_) thread.nth_child += other.parent == parent ? 1 : 0;
  thread.path_hash = ChildPathHash(threads_[parent].path_hash, thread.nth_child);
  threads_.push_back(thread);
  thread_stacks_.emplace_back();
  entries_.push_back(entry);
  thread_objects_.push_back(Object(ObjectKind::kThread, ""));
  Do(parent, OpKind::kCreate, thread_objects_[id], where).other = id;
  Do(id, OpKind::kStart, thread_objects_[id], entry);
  return id;
}

void TraceBuilder::Exit(ThreadId thread) {
  Do(thread, OpKind::kExit, thread_objects_[thread], entries_[thread]);
  threads_[thread].ended = 1;
}

void TraceBuilder::Join(ThreadId thread, ThreadId joined, const Line& where) {
  Do(thread, OpKind::kJoin, thread_objects_[joined], where).other = joined;
}

DecisionRecord& TraceBuilder::Decide(DecisionKind kind, ThreadId current, ThreadId chosen,
                                     bool current_enabled) {
  DecisionRecord decision;
  decision.event = static_cast<std::uint32_t>(events_.size());
  decision.options = static_cast<std::uint16_t>(std::max<int>(2, chosen + 1));
  decision.chosen = chosen;
  decision.thread = chosen;
  decision.current = current;
  decision.kind = kind;
  decision.current_enabled = current_enabled;
  decisions_.push_back(decision);
  if (kind == DecisionKind::kThread && current_enabled && current != chosen) ++record.preemptions;
  return decisions_.back();
}

void TraceBuilder::Pending(ThreadId thread, OpKind kind, ObjectId object, bool enabled,
                           const Line& where) {
  ThreadRecord& record_of_thread = threads_[thread];
  record_of_thread.pending.kind = kind;
  record_of_thread.pending.object = object;
  record_of_thread.pending.site = AddressOf(where);
  record_of_thread.enabled = enabled ? 1 : 0;
  thread_stacks_[thread] = Store(StackFor(thread, where));
}

void TraceBuilder::Assert(ThreadId thread, const std::string& expression, const Line& where) {
  record.outcome = RunOutcome::kFailed;
  record.failure = failure.kind = FailureKind::kAssertion;
  failure.thread = thread;
  failure.signal = 6;
  failure.line = static_cast<std::uint32_t>(where.number);
  std::strncpy(failure.message, expression.c_str(), sizeof failure.message - 1);
  std::strncpy(failure.file, where.file.c_str(), sizeof failure.file - 1);
  std::strncpy(failure.function, ("int " + where.function + "()").c_str(),
               sizeof failure.function - 1);
  thread_stacks_[thread] = Store(StackFor(thread, where));
}

void TraceBuilder::Crash(ThreadId thread, int signal, std::uint64_t address, const Line& where) {
  record.outcome = RunOutcome::kFailed;
  record.failure = failure.kind = FailureKind::kCrash;
  failure.thread = thread;
  failure.signal = signal;
  failure.address = address;
  thread_stacks_[thread] = Store(StackFor(thread, where));
}

void TraceBuilder::Deadlock(const std::vector<ThreadId>& cycle) {
  record.outcome = RunOutcome::kFailed;
  record.failure = failure.kind = FailureKind::kDeadlock;
  failure.thread = cycle.empty() ? kMainThread : cycle.back();
  failure.cycle_length = static_cast<std::uint32_t>(cycle.size());
  std::copy(cycle.begin(), cycle.end(), failure.cycle);
}

void TraceBuilder::ExitWith(int status) {
  record.outcome = RunOutcome::kExited;
  record.status = status;
}

RunTrace TraceBuilder::Trace() {
  record.events = events_.size();
  record.decisions = decisions_.size();
  record.event_hash = 0x1234;
  RunTrace trace;
  trace.record = record;
  trace.failure = failure;
  trace.decisions = decisions_;
  trace.events = events_;
  trace.objects = objects_;
  trace.threads = threads_;
  trace.thread_stacks = thread_stacks_;
  trace.event_stacks = event_stacks_;
  trace.frames = frames_;
  return trace;
}

}  // namespace heddle
