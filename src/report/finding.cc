#include "report/finding.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/hash.h"
#include "report/failure_text.h"
#include "report/lock_owners.h"
#include "report/run_names.h"
#include "report/sighting_text.h"
#include "report/steps.h"
#include "report/waits.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

constexpr FindingKindInfo kFindingKinds[] = {
#define HEDDLE_X(name, text, severity, title) {text, Severity::severity, title},
    HEDDLE_FINDING_KINDS(HEDDLE_X)
#undef HEDDLE_X
};

constexpr std::array<std::string_view, 2> kBackends = {"fiber", "baton"};
constexpr std::array<std::string_view, 3> kPoints = {"sync", "shared", "all"};
constexpr std::array<std::string_view, 2> kTimeouts = {"any", "idle"};
constexpr std::array<std::string_view, 3> kIsolations = {"program", "batch", "process"};
constexpr std::array<std::string_view, 3> kReuse = {"never", "always", "explore"};

template <typename Enum, std::size_t kCount>
std::optional<Enum> ByName(const std::array<std::string_view, kCount>& names,
                           std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string RelativeTo(const std::string& directory, const std::string& file) {
  const std::string prefix = directory + "/";
  const bool is_below = !directory.empty() && file.compare(0, prefix.size(), prefix) == 0;
  return is_below ? file.substr(prefix.size()) : file;
}

std::string Trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::uint64_t HashOfFunction(const Frame& place) {
  return Mix(HashText(place.function), HashText(FileName(place.file)));
}

std::uint64_t HashOf(const Frame& place, Symbolizer& symbols) {
  return Mix(HashOfFunction(place), symbols.LineHashOf(place));
}

std::string Hex(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// Of what was seen at these places, whichever came first.
std::string HashOf(std::string_view kind, const std::vector<Frame>& places, Symbolizer& symbols) {
  std::vector<std::uint64_t> hashes;
  for (const Frame& place : places) hashes.push_back(HashOf(place, symbols));
  std::sort(hashes.begin(), hashes.end());
  std::uint64_t hash = HashText(kind);
  for (const std::uint64_t place : hashes) hash = Mix(hash, place);
  return Hex(hash);
}

// Everything that stays when lines move, addresses change and the run has another number, or the
// program another name.
std::string Fingerprint(const RunTrace& trace, Symbolizer& symbols, const RunNames& names) {
  std::vector<std::uint64_t> places;
  // Where in a loop its threads are when nobody can go on is chance, and so is how many they are.
  const bool is_loop = trace.failure.kind == FailureKind::kLivelock;
  for (const Frame& place : FailurePlaces(trace, names)) {
    places.push_back(is_loop ? HashOfFunction(place) : HashOf(place, symbols));
  }
  std::sort(places.begin(), places.end());
  if (is_loop) places.erase(std::unique(places.begin(), places.end()), places.end());
  std::uint64_t hash = HashText(InfoOf(KindOf(trace)).name);
  const bool has_text =
      trace.failure.kind == FailureKind::kAssertion || trace.failure.kind == FailureKind::kMisuse;
  if (trace.record.outcome == RunOutcome::kFailed) {
    hash = Mix(hash, static_cast<std::uint64_t>(trace.failure.signal));
    if (has_text) hash = Mix(hash, HashText(FailureHeadline(trace)));
  } else if (trace.record.outcome == RunOutcome::kExited) {
    hash = Mix(hash, static_cast<std::uint64_t>(trace.record.status));
  }
  for (const std::uint64_t place : places) hash = Mix(hash, place);
  return Hex(hash);
}

std::vector<FindingThread> ThreadsOf(const RunTrace& trace, const RunNames& names,
                                     const std::vector<std::string>& states) {
  std::vector<FindingThread> threads;
  for (ThreadId id = 0; id < trace.threads.size(); ++id) {
    FindingThread thread;
    thread.id = id;
    thread.path = FormatPath(trace.threads, id);
    thread.name = names.Thread(id);
    thread.label = names.Label(id);
    thread.state = states[id];
    thread.ended = trace.threads[id].ended != 0;
    if (!thread.ended) thread.stack = names.Expand(names.StackOfThread(id));
    threads.push_back(std::move(thread));
  }
  return threads;
}

}  // namespace

const FindingKindInfo& InfoOf(FindingKind kind) {
  return kFindingKinds[static_cast<std::size_t>(kind)];
}

std::optional<FindingKind> FindingKindByName(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kFindingKinds); ++i) {
    if (kFindingKinds[i].name == name) return static_cast<FindingKind>(i);
  }
  return std::nullopt;
}

namespace {

// All that does not depend on what went wrong.
Finding Describe(const RunTrace& trace, Symbolizer& symbols, const FindingContext& context,
                 const std::vector<Frame>& places) {
  Finding finding;
  for (const Frame& place : places) {
    const FindingSite site = {RelativeTo(context.invocation.working_directory, place.file),
                              place.line, place.function,
                              Trimmed(symbols.SourceLine(place.file, place.line).value_or(""))};
    if (std::find(finding.sites.begin(), finding.sites.end(), site) == finding.sites.end()) {
      finding.sites.push_back(site);
    }
  }
  finding.first_run = context.first_run;
  finding.replayed = context.replayed;
  finding.replay_note = context.replay_note;
  finding.schedule_dependent = context.schedule_dependent;
  finding.needs_early_timeout = trace.record.early_timeout != 0;
  finding.invocation = context.invocation;
  finding.search = context.search;
  finding.output = context.output;
  finding.events = trace.record.events;
  finding.decisions = trace.record.decisions;
  finding.preemptions = trace.record.preemptions;
  finding.event_hash = trace.record.event_hash;
  return finding;
}

}  // namespace

Finding BuildFinding(const RunTrace& trace, Symbolizer& symbols, const FindingContext& context) {
  const RunNames names(trace, symbols);
  LockOwners owners;
  for (const Event& event : trace.events) owners.Apply(trace, event);
  const std::vector<std::string> states = StatesAtEnd(trace, names, owners);

  Finding finding = Describe(trace, symbols, context, FailurePlaces(trace, names));
  finding.kind = KindOf(trace);
  finding.severity = InfoOf(finding.kind).severity;
  finding.fingerprint = Fingerprint(trace, symbols, names);
  finding.message = FailureMessage(trace, names, states, context);
  finding.stacks = FailureStacks(trace, names);
  finding.threads = ThreadsOf(trace, names, states);
  finding.steps = StepsOf(trace, names);
  return finding;
}

Finding BuildFinding(const RunTrace& trace, const Sighting& sighting, Symbolizer& symbols,
                     const FindingContext& context) {
  const RunNames names(trace, symbols);
  const SightingText text = Explain(trace, sighting, names);
  Finding finding = Describe(trace, symbols, context, text.places);
  finding.kind = KindOf(sighting.kind);
  finding.severity = text.severity;
  finding.fingerprint = HashOf(InfoOf(finding.kind).name, text.places, symbols);
  finding.message = text.message;
  finding.stacks = text.stacks;
  finding.threads = ThreadsOf(trace, names, std::vector<std::string>(trace.threads.size()));
  for (FindingThread& thread : finding.threads) thread.stack.clear();
  finding.steps = StepsOf(trace, names, text.events);
  return finding;
}

std::string FingerprintOf(const RunTrace& trace, Symbolizer& symbols, const FindingContext&) {
  // The names of objects do not count, so the events need not be looked at.
  RunTrace without_events = trace;
  without_events.events = {};
  const RunNames names(without_events, symbols);
  return Fingerprint(without_events, symbols, names);
}

std::string_view NameOf(Backend backend) { return kBackends[static_cast<std::size_t>(backend)]; }
std::string_view NameOf(Points points) { return kPoints[static_cast<std::size_t>(points)]; }
std::string_view NameOf(Timeouts timeouts) { return kTimeouts[static_cast<std::size_t>(timeouts)]; }
std::string_view NameOf(Isolation isolation) {
  return kIsolations[static_cast<std::size_t>(isolation)];
}

std::string_view NameOf(Reuse reuse) { return kReuse[static_cast<std::size_t>(reuse)]; }
std::optional<Reuse> ReuseByName(std::string_view name) { return ByName<Reuse>(kReuse, name); }
std::optional<Backend> BackendByName(std::string_view name) {
  return ByName<Backend>(kBackends, name);
}
std::optional<Points> PointsByName(std::string_view name) { return ByName<Points>(kPoints, name); }
std::optional<Timeouts> TimeoutsByName(std::string_view name) {
  return ByName<Timeouts>(kTimeouts, name);
}
std::optional<Isolation> IsolationByName(std::string_view name) {
  return ByName<Isolation>(kIsolations, name);
}

}  // namespace heddle
