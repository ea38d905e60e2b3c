#include "strategy/profile.h"

#include <algorithm>

namespace heddle {

void Profile::Add(const RunTrace& trace) {
  ++runs;
  std::uint64_t points = 0;
  for (const Event& event : trace.events) points += IsPoint(event.kind) ? 1 : 0;
  most_events = std::max(most_events, points);
  std::uint64_t between_threads = 0;
  for (const DecisionRecord& decision : trace.decisions) {
    between_threads += decision.kind == DecisionKind::kThread ? 1 : 0;
  }
  most_decisions = std::max(most_decisions, between_threads);

  for (const ThreadRecord& record : trace.threads) {
    Thread& thread = threads[record.path_hash];
    if (record.parent < trace.threads.size()) {
      thread.parent = trace.threads[record.parent].path_hash;
    }
  }
  // What a thread was waiting for when the run ended is an operation it has in other runs.
  for (const ThreadRecord& record : trace.threads) {
    if (record.ended != 0 || !IsPoint(record.pending.kind)) continue;
    Count(record.path_hash, record.pending.kind, record.pending.object, trace);
  }
  for (const Event& event : trace.events) {
    if (!IsPoint(event.kind) || event.thread >= trace.threads.size()) continue;
    Count(trace.threads[event.thread].path_hash, event.kind, event.object, trace);
  }
}

void Profile::Count(std::uint64_t path, OpKind kind, ObjectId id, const RunTrace& trace) {
  ++threads[path].points;
  if (id == kNoObject || id >= trace.objects.size()) return;
  Object& object = objects[trace.objects[id].key];
  object.writes += IsWrite(kind) ? 1 : 0;
  ++object.accesses[path];
}

void Profile::Write(StateWriter& writer) const {
  writer.Number(runs).Number(most_events).Number(most_decisions).Number(threads.size());
  for (const auto& [path, thread] : threads) {
    writer.Number(path).Number(thread.parent).Number(thread.points);
  }
  writer.Number(objects.size());
  for (const auto& [key, object] : objects) {
    writer.Number(key).Number(object.writes).Number(object.accesses.size());
    for (const auto& [path, count] : object.accesses) writer.Number(path).Number(count);
  }
}

Profile Profile::Read(StateReader& reader) {
  Profile profile;
  profile.runs = reader.Number();
  profile.most_events = reader.Number();
  profile.most_decisions = reader.Number();
  // The loops end at the first number that is missing: a damaged count can't keep them going.
  const std::uint64_t thread_count = reader.Number();
  for (std::uint64_t i = 0; i < thread_count && reader.ok(); ++i) {
    Thread& thread = profile.threads[reader.Number()];
    thread.parent = reader.Number();
    thread.points = reader.Number();
  }
  const std::uint64_t object_count = reader.Number();
  for (std::uint64_t i = 0; i < object_count && reader.ok(); ++i) {
    Object& object = profile.objects[reader.Number()];
    object.writes = reader.Number();
    const std::uint64_t access_count = reader.Number();
    for (std::uint64_t j = 0; j < access_count && reader.ok(); ++j) {
      const std::uint64_t path = reader.Number();
      object.accesses[path] = reader.Number();
    }
  }
  return profile;
}

}  // namespace heddle
