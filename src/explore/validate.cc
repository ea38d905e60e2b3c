#include "explore/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "trace/thread_path.h"

namespace heddle {
namespace {

Error Damaged(std::string_view what) {
  return Error{fmt::format("the memory shared with the program is damaged ({})", what)};
}

// Plain memory copies: the source may be changing, and its types may hold impossible values.
template <typename T>
std::vector<T> CopyArea(Channel* channel, std::size_t offset, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const T* const from = AreaOf<T>(channel, offset);
  return std::vector<T>(from, from + count);
}

template <typename T>
T CopyOf(const T& shared) {
  T copy;
  std::memcpy(static_cast<void*>(&copy), static_cast<const void*>(&shared), sizeof copy);
  return copy;
}

template <typename Enum>
bool InRange(Enum value, Enum last) {
  return static_cast<unsigned>(value) <= static_cast<unsigned>(last);
}

// A bool whose byte is neither 0 nor 1 is undefined behaviour to read: look at the byte.
void MakeBool(bool* field) {
  unsigned char byte;
  std::memcpy(&byte, field, 1);
  byte = byte != 0 ? 1 : 0;
  std::memcpy(field, &byte, 1);
}

template <std::size_t N>
void Terminate(char (&text)[N]) {
  text[N - 1] = '\0';
}

bool IsThread(ThreadId thread, std::size_t threads) {
  return thread == kNoThread || thread < threads;
}

bool RecordHolds(const RunRecord& record) {
  return InRange(record.outcome, RunOutcome::kLast) &&
         InRange(record.failure, FailureKind::kLast) &&
         record.threads <= static_cast<std::uint32_t>(kMaxThreads);
}

// An object that did not fit into its area is no object; one that is out of range for any other
// reason is damage.
bool FixObject(ObjectId* object, std::size_t objects, bool truncated) {
  if (*object == kNoObject || *object < objects) return true;
  *object = kNoObject;
  return truncated;
}

// A list of channels: what it is made of was there before it.
bool ListHolds(const std::vector<ObjectRecord>& objects, const ObjectRecord& list) {
  if (list.kind != ObjectKind::kChannels) return true;
  const auto id = static_cast<std::size_t>(&list - objects.data());
  const auto is = [&](ObjectId object, ObjectKind kind) {
    return object < id && objects[object].kind == kind;
  };
  return is(list.FirstOfList(), ObjectKind::kChannel) &&
         (list.RestOfList() == kNoObject || is(list.RestOfList(), ObjectKind::kChannels));
}

bool StacksHold(const std::vector<StackRecord>& stacks, std::size_t frames) {
  return std::all_of(stacks.begin(), stacks.end(), [frames](const StackRecord& stack) {
    return stack.first_frame <= frames && stack.frame_count <= frames - stack.first_frame;
  });
}

// Those that no run of the worker saw before the one with this record. The others were seen by runs
// that may have had more threads and objects.
std::vector<Sighting> NewSightings(const RunRecord& record, const std::vector<Sighting>& all) {
  const std::size_t count = std::min<std::size_t>(record.new_sightings, all.size());
  return {all.end() - static_cast<std::ptrdiff_t>(count), all.end()};
}

}  // namespace

RunTrace OwnedTrace::View() const {
  return {.record = record,
          .failure = failure,
          .decisions = decisions,
          .events = events,
          .objects = objects,
          .threads = threads,
          .thread_stacks = thread_stacks,
          .event_stacks = event_stacks,
          .frames = frames,
          .sightings = sightings,
          .input = input,
          .input_missing = input_missing};
}

void OwnedTrace::CutAt(const RunRecord& failed) {
  if (decisions.size() > failed.decisions) decisions.resize(failed.decisions);
  if (events.size() > failed.events) events.resize(failed.events);
  if (event_stacks.size() > failed.events) event_stacks.resize(failed.events);
  record.ran_on = 0;
}

std::vector<LaterFailure> CopyLater(const Channel& channel, const OwnedTrace& trace) {
  std::vector<LaterFailure> all;
  const std::uint32_t count = std::min(CopyOf(channel.later_count), kMaxLaterFailures);
  for (std::uint32_t i = 0; i < count; ++i) {
    LaterFailure later = CopyOf(channel.later[i]);
    Failure& failure = later.failure;
    const auto is_thread = [&trace](ThreadId thread) { return thread < trace.threads.size(); };
    const bool holds = InRange(failure.kind, FailureKind::kLast) && is_thread(failure.thread) &&
                       failure.cycle_length <= std::size(failure.cycle) &&
                       std::all_of(failure.cycle, failure.cycle + failure.cycle_length, is_thread);
    if (!holds) continue;
    Terminate(failure.file);
    Terminate(failure.function);
    Terminate(failure.message);
    all.push_back(later);
  }
  return all;
}

Status CheckHeader(const Channel& channel, const ChannelFacts& facts) {
  if (channel.magic != kChannelMagic) return Damaged("its mark is gone");
  if (channel.version != kChannelVersion) return Damaged("its version changed");
  if (channel.size != facts.size) return Damaged("its size changed");
  return {};
}

Result<std::vector<RunRecord>> CopyRecords(const Channel& channel, std::uint64_t first_run,
                                           std::uint32_t runs) {
  const std::uint32_t count = CopyOf(channel.record_count);
  if (count == 0 || count > runs || count > kMaxBatch) {
    return Damaged(fmt::format("{} records for {} runs", count, runs));
  }
  std::vector<RunRecord> records(count);
  std::memcpy(static_cast<void*>(records.data()), static_cast<const void*>(channel.records),
              count * sizeof(RunRecord));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (records[i].run != first_run + i) {
      return Damaged(fmt::format("record of run {} names run {}", first_run + i, records[i].run));
    }
    if (!RecordHolds(records[i])) return Damaged(fmt::format("record of run {}", first_run + i));
  }
  return records;
}

Result<OwnedTrace> CopyTrace(Channel* channel, const ChannelFacts& facts, const RunRecord& record,
                             TraceParts parts) {
  const Layout layout = LayoutFor(facts.max_events);
  const bool everything = parts == TraceParts::kEverything;
  const std::uint32_t decisions = CopyOf(channel->decision_count);
  const std::uint32_t events = everything ? CopyOf(channel->event_count) : 0;
  const std::uint32_t objects = everything ? CopyOf(channel->object_count) : 0;
  const std::uint32_t threads = CopyOf(channel->thread_count);
  const std::uint32_t frames = everything ? CopyOf(channel->frame_count) : 0;
  if (decisions > facts.max_events) return Damaged("number of decisions");
  if (events > facts.max_events) return Damaged("number of events");
  if (objects > kMaxObjects) return Damaged("number of objects");
  if (threads > static_cast<std::uint32_t>(kMaxThreads)) return Damaged("number of threads");
  if (frames > kMaxFrames) return Damaged("number of frames");

  OwnedTrace trace;
  trace.record = record;
  trace.failure = CopyOf(channel->failure);
  trace.decisions = CopyArea<DecisionRecord>(channel, layout.decisions, decisions);
  trace.events = CopyArea<Event>(channel, layout.events, events);
  trace.objects = CopyArea<ObjectRecord>(channel, layout.objects, objects);
  trace.threads = CopyArea<ThreadRecord>(channel, layout.threads, everything ? threads : 0);
  trace.frames = CopyArea<std::uint64_t>(channel, layout.frames, frames);
  const std::uint32_t input = everything ? CopyOf(channel->input_size) : 0;
  if (input > kMaxInput) return Damaged("size of the input");
  trace.input = CopyArea<std::uint8_t>(channel, layout.input, input);
  trace.input_missing = everything ? CopyOf(channel->input_missing) : 0;
  if (everything && CopyOf(channel->has_thread_stacks) != 0) {
    trace.thread_stacks = CopyArea<StackRecord>(channel, layout.thread_stacks, threads);
  }
  if (everything && CopyOf(channel->has_event_stacks) != 0) {
    trace.event_stacks = CopyArea<StackRecord>(channel, layout.event_stacks, events);
  }

  const bool truncated = record.truncated != 0;
  // A run that went on behind its failure has more events than its record says.
  const std::uint64_t last_event =
      record.ran_on != 0 ? std::max<std::uint64_t>(record.events, CopyOf(channel->event_count))
                         : record.events;
  for (DecisionRecord& d : trace.decisions) {
    MakeBool(&d.current_enabled);
    if (d.options < 2 || d.chosen >= d.options || !IsThread(d.thread, threads) ||
        !IsThread(d.current, threads) || !InRange(d.kind, DecisionKind::kOutcome) ||
        !InRange(d.outcome, Outcome::kTimeout) || d.event > last_event) {
      return Damaged(fmt::format("decision {}", &d - trace.decisions.data()));
    }
  }
  for (Event& e : trace.events) {
    const bool names_other = e.kind != OpKind::kAtomicRmw;  // there it is a value
    if (e.thread >= threads || (names_other && !IsThread(e.other, threads)) ||
        static_cast<int>(e.kind) >= kOpKindCount || !FixObject(&e.object, objects, truncated)) {
      return Damaged(fmt::format("event {}", &e - trace.events.data()));
    }
    if ((e.kind == OpKind::kWait || e.kind == OpKind::kOnceDone) && e.value >= objects) {
      if (!truncated) return Damaged(fmt::format("mutex of event {}", &e - trace.events.data()));
      e.value = kNoObject;
    }
  }
  for (const ObjectRecord& o : trace.objects) {
    if (!InRange(o.kind, ObjectKind::kLast) || !ListHolds(trace.objects, o)) {
      return Damaged(fmt::format("object {}", &o - trace.objects.data()));
    }
  }
  for (ThreadRecord& t : trace.threads) {
    Terminate(t.name);
    if (!IsThread(t.parent, threads) || static_cast<int>(t.pending.kind) >= kOpKindCount ||
        !FixObject(&t.pending.object, objects, truncated) ||
        !FixObject(&t.pending.second, objects, truncated)) {
      return Damaged(fmt::format("thread {}", &t - trace.threads.data()));
    }
  }
  if (!StacksHold(trace.thread_stacks, frames) || !StacksHold(trace.event_stacks, frames)) {
    return Damaged("stacks");
  }

  Failure& failure = trace.failure;
  if (!InRange(failure.kind, FailureKind::kLast) ||
      failure.cycle_length > std::size(failure.cycle)) {
    return Damaged("failure");
  }
  for (std::uint32_t i = 0; everything && i < failure.cycle_length; ++i) {
    if (failure.cycle[i] >= threads) return Damaged("deadlock cycle");
  }
  if (!IsThread(failure.thread, threads)) return Damaged("failing thread");
  if (failure.object >= trace.objects.size()) failure.object = kNoObject;
  for (std::size_t i = 0; i < std::size(failure.stacks); ++i) {
    if (!everything) failure.stacks[i] = StackRecord();
    if (!StacksHold({failure.stacks[i]}, frames)) return Damaged("stacks of the failure");
    if (!IsThread(failure.stack_threads[i], threads)) return Damaged("threads of the failure");
  }
  Result<std::vector<Sighting>> sightings = CopySightings(*channel);
  if (!sightings) return sightings.error();
  trace.sightings = NewSightings(record, *sightings);
  for (const Sighting& sighting : trace.sightings) {
    for (const SightingSide& side : sighting.Sides()) {
      if (side.thread >= threads) return Damaged("thread of a sighting");
    }
  }
  for (Sighting& sighting : trace.sightings) {
    for (SightingSide& side : sighting.sides) {
      if (side.held >= objects) side.held = kNoObject;
      if (side.taken >= objects) side.taken = kNoObject;
    }
  }
  Terminate(failure.file);
  Terminate(failure.function);
  Terminate(failure.message);
  // One that was killed before it said anything had its main thread.
  if (everything && trace.threads.empty()) {
    trace.threads.emplace_back().path_hash = kMainPathHash;
  }
  return trace;
}

Result<std::vector<Sighting>> CopySightings(const Channel& channel) {
  const std::uint32_t count = CopyOf(channel.sighting_count);
  if (count > kMaxSightings) return Damaged("number of sightings");
  std::vector<Sighting> sightings(count);
  std::memcpy(static_cast<void*>(sightings.data()), static_cast<const void*>(channel.sightings),
              count * sizeof(Sighting));
  for (const Sighting& sighting : sightings) {
    if (!InRange(sighting.kind, SightingKind::kLast)) return Damaged("kind of a sighting");
    if (sighting.side_count < 2 || sighting.side_count > kMaxLockRing) {
      return Damaged("sides of a sighting");
    }
  }
  return sightings;
}

Failure CopyFailure(const Channel& channel) {
  Failure failure = CopyOf(channel.failure);
  if (!InRange(failure.kind, FailureKind::kLast)) return Failure();
  failure.cycle_length = 0;
  failure.thread = kMainThread;
  failure.object = kNoObject;
  for (StackRecord& stack : failure.stacks) stack = StackRecord();
  for (ThreadId& thread : failure.stack_threads) thread = kNoThread;
  Terminate(failure.file);
  Terminate(failure.function);
  Terminate(failure.message);
  return failure;
}

Result<std::vector<ModuleRecord>> CopyModules(const Channel& channel) {
  const std::uint32_t count = CopyOf(channel.module_count);
  if (count > kMaxModules) return Damaged("number of modules");
  std::vector<ModuleRecord> modules(count);
  std::memcpy(static_cast<void*>(modules.data()), static_cast<const void*>(channel.modules),
              count * sizeof(ModuleRecord));
  for (ModuleRecord& module : modules) {
    Terminate(module.path);
    if (module.build_id_size > sizeof module.build_id || module.end < module.begin) {
      return Damaged(fmt::format("module {}", &module - modules.data()));
    }
  }
  return modules;
}

Result<std::vector<UncontrolledRecord>> CopyUncontrolled(const Channel& channel) {
  const std::uint32_t count = CopyOf(channel.uncontrolled_count);
  if (count > kMaxUncontrolled) return Damaged("number of uncontrolled calls");
  std::vector<UncontrolledRecord> records(count);
  std::memcpy(static_cast<void*>(records.data()), static_cast<const void*>(channel.uncontrolled),
              count * sizeof(UncontrolledRecord));
  for (UncontrolledRecord& record : records) {
    Terminate(record.what);
    Terminate(record.effect);
  }
  return records;
}

Result<std::vector<SiteRef>> CopyNewSites(Channel* channel, const ChannelFacts& facts,
                                          std::size_t modules) {
  const std::uint32_t count = CopyOf(channel->new_site_count);
  if (count > kMaxSites) return Damaged("number of new sites");
  std::vector<SiteRef> sites =
      CopyArea<SiteRef>(channel, LayoutFor(facts.max_events).new_sites, count);
  for (const SiteRef& site : sites) {
    const bool is_rule = site.lesson() == Lesson::kRule;
    if (is_rule ? site.offset >= kRuleCount : site.place().module >= modules) {
      return Damaged("module of a new site");
    }
  }
  return sites;
}

Result<SearchProgress> CopySearch(Channel* channel, const ChannelFacts& facts) {
  if (Status header = CheckHeader(*channel, facts); !header) return header.error();
  SearchProgress progress;
  progress.report = channel->search_report;
  if (progress.report.is_skipped != 0) progress.skipped = CopyFailure(*channel).message;
  if (progress.report.runs > kMaxSliceRuns || progress.report.blocked > progress.report.runs ||
      progress.report.state_size > kMaxSearchState) {
    return Error{"the memory shared with the program is damaged (its search)"};
  }
  const Layout layout = LayoutFor(facts.max_events);
  const auto* const classes = AreaOf<std::uint64_t>(channel, layout.classes);
  progress.classes.assign(classes, classes + (progress.report.runs - progress.report.blocked));
  progress.state.assign(AreaOf<char>(channel, layout.state), progress.report.state_size);
  return progress;
}

std::vector<OutcomeRecord> CopyOutcomes(const Channel& channel) {
  const std::uint32_t count = std::min(channel.outcome_count, kMaxOutcomes);
  std::vector<OutcomeRecord> outcomes(channel.outcomes, channel.outcomes + count);
  for (OutcomeRecord& outcome : outcomes) outcome.text[sizeof outcome.text - 1] = '\0';
  return outcomes;
}

CheckpointReply CopyCheckpoints(const Channel& channel, const RunRecord& record) {
  CheckpointReply reply;
  const std::uint64_t began = channel.run_began, ended = channel.run_ended;
  if (channel.request.measure != 0 && ended > began) {
    reply.run_seconds = static_cast<double>(ended - began) * 1e-9;
  }
  if (channel.refusal <= CheckpointRefusal::kLast) reply.refusal = channel.refusal;
  reply.refused_at = channel.refused_at;
  const std::uint32_t count = channel.checkpoint_count.load();
  const std::uint32_t made_from = channel.made_from;
  if (count > kMaxCheckpoints || made_from > count) return reply;
  CheckpointRecord last;
  for (std::uint32_t i = 0; i < count; ++i) {
    const CheckpointRecord next = channel.checkpoints[i];
    const bool grows = next.decisions > last.decisions && next.events >= last.events;
    if (!grows || next.events > record.events || next.decisions > record.decisions) return reply;
    reply.live.push_back(next);
    last = next;
  }
  reply.made_from = made_from;
  return reply;
}

}  // namespace heddle
