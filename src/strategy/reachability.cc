#include "strategy/reachability.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "reach/diagram.h"
#include "strategy/params.h"
#include "strategy/state_text.h"
#include "strategy/whole_run.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

// What an owner is called in a diagram: its kind and its number in the run.
std::string OwnerName(const RunTrace& trace, ObjectId object) {
  if (object == kNoObject) return "?";
  const char* kind = "object";
  switch (trace.objects[object].kind) {
    case ObjectKind::kMemory:
      kind = "mem";
      break;
    case ObjectKind::kMutex:
    case ObjectKind::kOwnedLock:
      kind = "lock";
      break;
    case ObjectKind::kCondition:
      kind = "cond";
      break;
    case ObjectKind::kSemaphore:
    case ObjectKind::kCountingSemaphore:
    case ObjectKind::kBinarySemaphore:
      kind = "sem";
      break;
    case ObjectKind::kMonitorSC:
    case ObjectKind::kMonitorSU:
      kind = "mon";
      break;
    case ObjectKind::kAsyncPort:
    case ObjectKind::kBoundedPort:
    case ObjectKind::kSyncPort:
      kind = "port";
      break;
    default:
      break;
  }
  return kind + std::to_string(object);
}

// Equal for equal sequences; names are those of the search.
std::uint64_t HashOf(const reach::Sequence& sequence) {
  std::uint64_t hash = 0;
  for (const reach::Index word : sequence.Identity()) hash = Mix(hash, word);
  return hash;
}

void WriteVariant(const reach::Variant& variant, StateWriter& writer) {
  writer.Number(variant.owners.size());
  for (const reach::Variant::PerOwner& owner : variant.owners) {
    writer.Number(owner.first).Number(owner.fixed).Number(owner.coloured);
    writer.Number(owner.recollected ? 1 : 0);
  }
  writer.Number(variant.partners.size());
  for (const reach::SendName& send : variant.partners) {
    writer.Number(send.thread).Number(send.number);
  }
  writer.Number(variant.old.size());
  for (const reach::Index count : variant.old) writer.Number(count);
}

// A count can't exceed the number of characters: a damaged one must not make us allocate.
reach::Variant ReadVariant(StateReader& reader, std::size_t most) {
  reach::Variant variant;
  variant.owners.resize(reader.Number(most));
  for (reach::Variant::PerOwner& owner : variant.owners) {
    owner.first = static_cast<reach::Index>(reader.Number(most));
    owner.fixed = static_cast<reach::Index>(reader.Number(most));
    owner.coloured = static_cast<reach::Index>(reader.Number(UINT32_MAX));
    owner.recollected = reader.Number(1) == 1;
  }
  variant.partners.resize(reader.Number(most));
  for (reach::SendName& send : variant.partners) {
    send.thread = static_cast<reach::Index>(reader.Number(UINT32_MAX));
    send.number = static_cast<reach::Index>(reader.Number(UINT32_MAX));
  }
  variant.old.resize(reader.Number(most));
  for (reach::Index& count : variant.old) {
    count = static_cast<reach::Index>(reader.Number(UINT32_MAX));
  }
  return variant;
}

bool IsSound(const reach::Variant& variant, const SynNames& names) {
  if (variant.owners.size() > names.owners.size()) return false;
  if (variant.old.size() > names.threads.size()) return false;
  for (const reach::Variant::PerOwner& owner : variant.owners) {
    if (std::uint64_t{owner.first} + owner.fixed > variant.partners.size()) return false;
  }
  for (const reach::SendName& send : variant.partners) {
    if (send.thread >= names.threads.size()) return false;
  }
  return true;
}

void WriteNames(const NameTable& names, StateWriter& writer) {
  writer.Number(names.size());
  for (reach::Index i = 0; i < names.size(); ++i) writer.Number(names.NameOf(i));
}

void ReadNames(StateReader& reader, std::size_t most, NameTable& names) {
  const std::uint64_t count = reader.Number(most);
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) names.Of(reader.Number());
}

}  // namespace

ReachabilitySearch::ReachabilitySearch(const SearchOptions& options)
    : seed_(options.seed),
      show_run_(NumberParam(options.params, "show", 0)),
      checks_(SwitchParam(options.params, "check", false)) {}

std::optional<Plan> ReachabilitySearch::Next() {
  if (!state_.search.HasNext()) return std::nullopt;
  reach::Variant variant = state_.search.Next();
  Plan plan;
  plan.run = ++state_.given;
  plan.seed = seed_;
  plan.policy = "reachability";
  PutVariant(variant, state_.names.owners, state_.names.threads, state_.names.racy, plan);
  state_.outstanding.emplace(plan.run, std::move(variant));
  return plan;
}

void ReachabilitySearch::Learn(const Plan& plan, const RunTrace& trace) {
  const auto out = state_.outstanding.find(plan.run);
  if (out == state_.outstanding.end()) return;  // of a search before Restart
  const reach::Variant variant = std::move(out->second);
  state_.outstanding.erase(out);

  reader_.Read(trace, variant, &state_.names, &sequence_);
  state_.uncovered.insert(reader_.uncovered().begin(), reader_.uncovered().end());
  if (!reader_.new_racy().empty()) {
    AddRacy();
    return;
  }
  if (reader_.diverged()) {
    ++state_.diverged;
    state_.uncovered.emplace("a run that did not begin as it was told");
    return;
  }
  if (!HasAllEvents(trace) || WasCutShort(trace)) {
    state_.uncovered.emplace("a run that ended before its threads did");
  }
  if (checks_ && !reader_.blocked() && !state_.seen.insert(HashOf(sequence_)).second) {
    ++state_.repeated;
  }
  const std::vector<reach::Heading> headings =
      state_.search.Learn(variant, sequence_, reader_.blocked());
  if (plan.run == show_run_) shown_ = Show(trace, headings);
}

// What the sequences were is void: they lack the accesses.
void ReachabilitySearch::AddRacy() {
  State state;
  state.given = state_.given;
  state.names.racy = std::move(state_.names.racy);
  state.names.racy.insert(reader_.new_racy().begin(), reader_.new_racy().end());
  state.uncovered = std::move(state_.uncovered);
  state.uncovered.emplace("a data race");
  state_ = std::move(state);
}

bool ReachabilitySearch::Complete() const {
  return !state_.search.HasNext() && state_.outstanding.empty() && state_.uncovered.empty();
}

void ReachabilitySearch::Restart() {
  state_ = State();
  reader_ = SynReader();
}

std::string ReachabilitySearch::Show(const RunTrace& trace,
                                     const std::vector<reach::Heading>& headings) const {
  reach::DiagramNames names;
  for (const ThreadId thread : reader_.thread_of_index()) {
    names.threads.push_back(thread == kNoThread ? "?" : "T" + FormatPath(trace.threads, thread));
  }
  for (reach::Index owner = 0; owner < reader_.object_of_owner().size(); ++owner) {
    const ObjectId object = reader_.object_of_owner()[owner];
    reach::Index receiver = reach::kNone;
    for (reach::Index t = 0; t < names.threads.size(); ++t) {
      if (ReceiverKey(state_.names.threads.NameOf(t)) == state_.names.owners.NameOf(owner)) {
        receiver = t;
      }
    }
    names.receivers.push_back(receiver);
    names.owners.push_back(receiver != reach::kNone ? names.threads[receiver]
                                                    : OwnerName(trace, object));
  }
  for (ObjectId object = 1; object < trace.objects.size(); ++object) {
    const ObjectKind kind = trace.objects[object].kind;
    const bool is_port = kind == ObjectKind::kAsyncPort || kind == ObjectKind::kBoundedPort ||
                         kind == ObjectKind::kSyncPort;
    if (is_port) names.ports[object] = OwnerName(trace, object);
  }
  return "Run " + std::to_string(show_run_) + ":\n" + reach::Diagram(sequence_, names) +
         reach::RaceReport(sequence_, headings, names);
}

std::vector<std::string> ReachabilitySearch::Remarks() const {
  const reach::SearchCounts& counts = state_.search.counts();
  std::string text = std::to_string(counts.sequences) + " SYN-sequences";
  if (counts.blocked > 0) text += " and " + std::to_string(counts.blocked) + " blocked runs";
  text += Complete() ? "; these are all." : "; that these are all is not shown.";
  if (checks_) {
    text += " " + std::to_string(state_.repeated) + " came again; at most " +
            std::to_string(counts.most_pending) + " variants were pending.";
  }
  std::vector<std::string> remarks = {text};
  for (const std::string& what : state_.uncovered) {
    remarks.push_back("Reachability testing does not cover " + what + ", which the program has.");
  }
  if (!shown_.empty()) remarks.push_back(shown_);
  return remarks;
}

// A plan that is out when the state is saved is lost with its process: its variant is pending
// again.
std::string ReachabilitySearch::Save() const {
  StateWriter writer;
  writer.Word("reachability").Number(seed_);
  writer.Number(state_.given - state_.outstanding.size()).Number(state_.diverged);
  const reach::SearchCounts& counts = state_.search.counts();
  writer.Number(counts.sequences).Number(counts.blocked).Number(counts.variants);
  writer.Number(counts.most_pending);
  WriteNames(state_.names.threads, writer);
  WriteNames(state_.names.owners, writer);
  writer.Number(state_.names.racy.size());
  for (const std::uint64_t key : state_.names.racy) writer.Number(key);
  const std::vector<reach::Variant>& pending = state_.search.pending();
  writer.Number(pending.size() + state_.outstanding.size());
  for (const reach::Variant& variant : pending) WriteVariant(variant, writer);
  for (auto it = state_.outstanding.rbegin(); it != state_.outstanding.rend(); ++it) {
    WriteVariant(it->second, writer);
  }
  writer.Number(state_.uncovered.size());
  for (const std::string& what : state_.uncovered) {
    writer.Number(what.size());
    for (const char c : what) writer.Number(static_cast<unsigned char>(c));
  }
  writer.Number(state_.repeated).Number(state_.seen.size());
  for (const std::uint64_t hash : state_.seen) writer.Number(hash);
  return writer.Take();
}

Status ReachabilitySearch::Load(std::string_view text) {
  StateReader reader(text);
  reader.Expect("reachability");
  const std::uint64_t seed = reader.Number();
  State state;
  state.given = reader.Number();
  state.diverged = reader.Number();
  reach::SearchCounts counts;
  counts.sequences = reader.Number();
  counts.blocked = reader.Number();
  counts.variants = reader.Number();
  counts.most_pending = reader.Number();
  ReadNames(reader, text.size(), state.names.threads);
  ReadNames(reader, text.size(), state.names.owners);
  const std::uint64_t racy_count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < racy_count && reader.ok(); ++i) {
    state.names.racy.insert(reader.Number());
  }
  const std::uint64_t variant_count = reader.Number(text.size());
  std::vector<reach::Variant> pending;
  for (std::uint64_t i = 0; i < variant_count && reader.ok(); ++i) {
    pending.push_back(ReadVariant(reader, text.size()));
    if (reader.ok() && !IsSound(pending.back(), state.names)) return BadState("reachability");
  }
  const std::uint64_t uncovered_count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < uncovered_count && reader.ok(); ++i) {
    std::string what(reader.Number(text.size()), ' ');
    for (char& c : what) c = static_cast<char>(reader.Number(255));
    state.uncovered.insert(what);
  }
  state.repeated = reader.Number();
  const std::uint64_t seen_count = reader.Number(text.size());
  for (std::uint64_t i = 0; i < seen_count && reader.ok(); ++i) state.seen.insert(reader.Number());
  if (!reader.ok() || !reader.AtEnd() || seed != seed_) return BadState("reachability");
  state.search = reach::VariantSearch(std::move(pending), counts);
  state_ = std::move(state);
  return Status();
}

std::unique_ptr<Search> MakeReachabilitySearch(const SearchOptions& options) {
  return std::make_unique<ReachabilitySearch>(options);
}

}  // namespace heddle
