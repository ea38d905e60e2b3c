#include "report/sighting_text.h"

#include <algorithm>

#include "report/steps.h"

namespace heddle {
namespace {

bool IsKept(const RunTrace& trace, const SightingSide& side) {
  return side.event < trace.events.size() && trace.events[side.event].site == side.site;
}

std::string Verb(const RunTrace& trace, const SightingSide& side) {
  if (IsKept(trace, side) && (trace.events[side.event].flags & Event::kFrees) != 0) return "frees";
  if (side.is_atomic != 0) return side.is_write != 0 ? "atomically writes" : "atomically reads";
  return side.is_write != 0 ? "writes" : "reads";
}

std::string At(const Frame& place) {
  const std::string location = ShortLocation(place);
  return location.empty() ? "" : " at " + location;
}

// The site alone when the run was made without stacks.
std::vector<std::uint64_t> StackOf(const RunTrace& trace, const SightingSide& side,
                                   const RunNames& names) {
  if (IsKept(trace, side)) return names.StackOf(side.event);
  return {side.site};
}

std::string ObjectOf(const RunTrace& trace, const Sighting& sighting, const RunNames& names) {
  for (const SightingSide& side : sighting.Sides()) {
    if (IsKept(trace, side)) return names.ObjectOf(side.event);
  }
  return "the same memory";
}

// Where the memory came from, when it is the heap's.
void AddAllocation(const RunTrace& trace, const SightingSide& side, const RunNames& names,
                   SightingText* text) {
  if (!IsKept(trace, side)) return;
  const ObjectId object = trace.events[side.event].object;
  if (object == kNoObject || object >= trace.objects.size()) return;
  const std::uint64_t site = trace.objects[object].allocation_site;
  if (site == 0) return;
  text->stacks.push_back({"the memory was allocated here", names.Expand({&site, 1})});
}

SightingText ExplainRace(const RunTrace& trace, const Sighting& sighting, const RunNames& names) {
  const std::string object = ObjectOf(trace, sighting, names);
  SightingText text;
  for (const SightingSide& side : sighting.Sides()) {
    const std::vector<std::uint64_t> stack = StackOf(trace, side, names);
    const std::string what = names.Thread(side.thread) + " " + Verb(trace, side) + " " + object;
    std::string value;
    if (IsKept(trace, side)) value = ValueOf(trace.events[side.event], names);
    text.stacks.push_back({what + (value.empty() ? "" : " " + value), names.Expand(stack)});
    text.places.push_back(names.Place(stack));
    text.events.push_back(side.event);
  }
  const SightingSide& first = sighting.sides[0];
  const SightingSide& second = sighting.sides[1];
  text.message = names.Thread(first.thread) + " " + Verb(trace, first) + " " + object +
                 At(text.places[0]) + " and " + names.Thread(second.thread) + " " +
                 Verb(trace, second) + " it" + At(text.places[1]) + ", and nothing orders the two";
  AddAllocation(trace, second, names, &text);
  return text;
}

SightingText ExplainLockOrder(const RunTrace& trace, const Sighting& sighting,
                              const RunNames& names) {
  SightingText text;
  text.severity = Severity::kWarning;
  for (const SightingSide& side : sighting.Sides()) {
    const std::vector<std::uint64_t> stack = StackOf(trace, side, names);
    const std::string what = names.Thread(side.thread) + " takes " + names.Phrase(side.taken) +
                             " while it holds " + names.Phrase(side.held);
    text.stacks.push_back({what, names.Expand(stack)});
    text.places.push_back(names.Place(stack));
    text.events.push_back(side.event);
    const bool is_last = text.places.size() == sighting.side_count;
    text.message += (text.message.empty() ? ""
                     : is_last            ? ", and "
                                          : ", ") +
                    what + At(text.places.back());
  }
  text.message += ": in another schedule they wait for each other";
  return text;
}

}  // namespace

FindingKind KindOf(SightingKind kind) {
  switch (kind) {
    case SightingKind::kRace:
      return FindingKind::kRace;
    case SightingKind::kLockOrder:
      return FindingKind::kLockOrder;
  }
  return FindingKind::kRace;
}

std::string UnseenLibrary(const std::vector<Frame>& stack,
                          const std::vector<std::string>& plain_modules) {
  std::vector<std::string> libraries;  // by frame, without the system's; "" = seen
  for (const Frame& frame : stack) {
    const std::string name = frame.module.substr(frame.module.rfind('/') + 1);
    const bool is_plain =
        std::find(plain_modules.begin(), plain_modules.end(), name) != plain_modules.end();
    if (frame.is_system && !is_plain) continue;
    libraries.push_back(is_plain ? name : "");
  }
  if (!libraries.empty() && (libraries.size() == 1 || libraries[libraries.size() - 2].empty())) {
    libraries.pop_back();
  }
  const auto unseen = std::find_if(libraries.begin(), libraries.end(),
                                   [](const std::string& name) { return !name.empty(); });
  return unseen == libraries.end() ? "" : *unseen;
}

SightingText Explain(const RunTrace& trace, const Sighting& sighting, const RunNames& names) {
  return sighting.kind == SightingKind::kRace ? ExplainRace(trace, sighting, names)
                                              : ExplainLockOrder(trace, sighting, names);
}

}  // namespace heddle
