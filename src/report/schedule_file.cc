// From a run to a schedule, and from a schedule to what the runtime takes.
#include "report/schedule_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "report/run_names.h"
#include "report/words.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// What makes two lines the same line. The number counts only where there is no text.
using LineKey = std::tuple<std::string, std::string, std::uint64_t, int>;

LineKey KeyOf(const LineAnchor& anchor) {
  return {anchor.module, anchor.function, anchor.line_hash,
          anchor.line_hash == 0 ? anchor.line : 0};
}

class ScheduleMaker {
 public:
  ScheduleMaker(const RunTrace& trace, Symbolizer& symbols)
      : trace_(trace), symbols_(symbols), names_(trace, symbols) {
    events_of_.resize(trace.threads.size());
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      events_of_[trace.events[i].thread].push_back(i);
    }
  }

  std::vector<SchedulePoint> Points(std::span<const SiteRef> sites) {
    std::map<std::uint64_t, OpKind> kinds;
    for (const Event& event : trace_.events) kinds.emplace(event.site, event.kind);
    std::vector<SchedulePoint> points;
    for (const SiteRef& site : sites) {
      if (site.lesson() == Lesson::kRule) {
        points.push_back({.offset = site.offset, .lesson = Lesson::kRule});
        continue;
      }
      const std::uint64_t address = symbols_.AddressOf(site.place());
      SchedulePoint point;
      point.where = AnchorOf(UserFrame(symbols_.FramesOfReturn(address)), address);
      point.where.module = ModuleName(symbols_.modules(), site.place().module);
      point.offset = site.offset;
      point.lesson = site.lesson();
      const auto kind = kinds.find(address);
      if (kind != kinds.end()) point.kind = kind->second;
      points.push_back(std::move(point));
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const SchedulePoint& a, const SchedulePoint& b) {
                       return std::tie(a.where.module, a.where.file, a.where.line, a.offset) <
                              std::tie(b.where.module, b.where.file, b.where.line, b.offset);
                     });
    return points;
  }

  std::vector<ScheduleSwitch> Switches() {
    std::vector<ScheduleSwitch> switches;
    std::size_t counted = 0;
    for (const DecisionRecord& decision : trace_.decisions) {
      for (; counted < decision.event && counted < trace_.events.size(); ++counted) Count(counted);
      const bool goes_on = decision.kind == DecisionKind::kThread &&
                           decision.thread == decision.current &&
                           decision.outcome == Outcome::kNormal;
      if (!goes_on && decision.current < trace_.threads.size()) {
        switches.push_back(SwitchAt(decision));
      }
    }
    return switches;
  }

 private:
  // An announced operation: an event that came later, or what was pending at the end.
  struct Announced {
    OpKind kind = OpKind::kNone;
    std::vector<std::uint64_t> stack;
    std::optional<std::size_t> event;
  };

  LineAnchor AnchorOf(const Frame& frame, std::uint64_t address) {
    LineAnchor anchor;
    const std::optional<SiteRef> site = symbols_.SiteOf(address);
    if (site) anchor.module = ModuleName(symbols_.modules(), site->module);
    anchor.function = frame.function;
    anchor.line_hash = symbols_.LineHashOf(frame);
    anchor.file = FileName(frame.file);
    anchor.line = frame.line;
    return anchor;
  }

  // The user's line of a stack: the innermost frame that is not system code.
  LineAnchor AnchorOf(const std::vector<std::uint64_t>& stack) {
    for (const std::uint64_t address : stack) {
      const Frame& frame = UserFrame(symbols_.FramesOfReturn(address));
      if (!frame.is_system) return AnchorOf(frame, address);
    }
    if (stack.empty()) return {};
    return AnchorOf(symbols_.FramesOfReturn(stack[0]).front(), stack[0]);
  }

  int IdOf(const LineKey& key) {
    return line_ids_.emplace(key, static_cast<int>(line_ids_.size())).first->second;
  }

  // All lines that a stack is in, each once. Stacks come again and again, so they are remembered.
  const std::vector<int>& LinesOf(const std::vector<std::uint64_t>& stack) {
    std::uint64_t hash = stack.size();
    for (const std::uint64_t address : stack) hash = Mix(hash, address);
    const auto known = lines_of_stack_.find(hash);
    if (known != lines_of_stack_.end()) return known->second;
    std::set<int> lines;
    for (const std::uint64_t address : stack) {
      for (const Frame& frame : symbols_.FramesOfReturn(address)) {
        lines.insert(IdOf(KeyOf(AnchorOf(frame, address))));
      }
    }
    return lines_of_stack_.emplace(hash, std::vector<int>(lines.begin(), lines.end()))
        .first->second;
  }

  static std::uint64_t SeenKey(ThreadId thread, OpKind kind, int line) {
    return static_cast<std::uint64_t>(thread) << 48 | static_cast<std::uint64_t>(kind) << 32 |
           static_cast<std::uint32_t>(line);
  }

  void Count(std::size_t event) {
    const Event& record = trace_.events[event];
    for (const int line : LinesOf(names_.StackOf(event))) {
      ++seen_[SeenKey(record.thread, record.kind, line)];
    }
  }

  Announced NextOf(ThreadId thread, std::uint32_t event) const {
    const std::vector<std::size_t>& events = events_of_[thread];
    const auto next = std::lower_bound(events.begin(), events.end(), event);
    if (next != events.end()) return {trace_.events[*next].kind, names_.StackOf(*next), *next};
    return {trace_.threads[thread].pending.kind, names_.StackOfThread(thread), std::nullopt};
  }

  // Who asks for a waiter is in the middle of its operation, which may or may not be recorded yet.
  Announced AskedBy(const DecisionRecord& decision) const {
    const std::vector<std::size_t>& events = events_of_[decision.current];
    const auto next = std::lower_bound(events.begin(), events.end(), decision.event);
    if (next != events.end() && Wakes(trace_.events[*next].kind)) {
      return NextOf(decision.current, decision.event);
    }
    if (next == events.begin()) return NextOf(decision.current, decision.event);
    const std::size_t last = *std::prev(next);
    return {trace_.events[last].kind, names_.StackOf(last), last};
  }

  static bool Wakes(OpKind kind) {
    return kind == OpKind::kSignal || kind == OpKind::kBroadcast || kind == OpKind::kSemPost ||
           kind == OpKind::kFutexWake || kind == OpKind::kUnlock || kind == OpKind::kReadUnlock ||
           kind == OpKind::kWriteUnlock || kind == OpKind::kBarrierArrive || kind == OpKind::kKill;
  }

  ScheduleSwitch SwitchAt(const DecisionRecord& decision) {
    ScheduleSwitch change;
    change.decision = decision.kind;
    change.outcome = decision.outcome;
    change.from = FormatPath(trace_.threads, decision.current);
    change.to = FormatPath(trace_.threads, decision.thread);
    change.forced = decision.kind == DecisionKind::kThread && !decision.current_enabled;
    const bool has_ended = change.forced && LastWasExit(decision);
    Announced announced;
    if (has_ended) {
      announced.kind = OpKind::kExit;
    } else if (decision.kind == DecisionKind::kThread) {
      announced = NextOf(decision.current, decision.event);
    } else {
      announced = AskedBy(decision);
    }
    change.kind = announced.kind;
    change.where = AnchorOf(announced.stack);
    if (change.forced) {
      change.occurrence = ++forced_[decision.current];
    } else {
      const auto seen =
          seen_.find(SeenKey(decision.current, announced.kind, IdOf(KeyOf(change.where))));
      change.occurrence = seen == seen_.end() ? 0 : seen->second;
      // Counted already when the operation was recorded before the question.
      if (!announced.event || *announced.event >= decision.event) ++change.occurrence;
    }
    return change;
  }

  bool LastWasExit(const DecisionRecord& decision) const {
    const std::vector<std::size_t>& events = events_of_[decision.current];
    const auto next = std::lower_bound(events.begin(), events.end(), decision.event);
    return next != events.begin() && trace_.events[*std::prev(next)].kind == OpKind::kExit;
  }

  const RunTrace& trace_;
  Symbolizer& symbols_;
  RunNames names_;
  std::vector<std::vector<std::size_t>> events_of_;  // by thread
  std::map<LineKey, int> line_ids_;
  // Never walked through, so their order can't matter.
  std::unordered_map<std::uint64_t, std::vector<int>> lines_of_stack_;
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;
  std::map<ThreadId, std::uint32_t> forced_;
};

std::string BuildIdOf(const ModuleRecord& module) {
  std::string text;
  for (std::uint32_t i = 0; i < module.build_id_size && i < sizeof module.build_id; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[module.build_id[i] >> 4];
    text += kDigits[module.build_id[i] & 15];
  }
  return text;
}

// Looks each line up once and lays its ranges out once.
class Resolver {
 public:
  Resolver(Symbolizer& symbols, ResolvedSchedule* resolved)
      : symbols_(symbols), resolved_(resolved) {}

  struct Place {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  Place RangesOf(const LineAnchor& where) {
    const auto known = places_.find(KeyOf(where));
    if (known != places_.end()) return known->second;
    Place place;
    place.first = static_cast<std::uint32_t>(resolved_->ranges.size());
    if (!where.function.empty()) {
      const LineQuery query = {where.module, where.function, where.line_hash, where.line};
      // Lines of equal text were counted together, so all of them are meant.
      for (const LineMatch& match : symbols_.FindLine(query)) {
        resolved_->ranges.insert(resolved_->ranges.end(), match.ranges.begin(), match.ranges.end());
      }
    }
    place.count = static_cast<std::uint32_t>(resolved_->ranges.size()) - place.first;
    if (place.count == 0) {
      resolved_->unresolved.push_back(
          (where.function.empty() ? "unknown function" : where.function) + " " + where.file + ":" +
          std::to_string(where.line));
    }
    return places_.emplace(KeyOf(where), place).first->second;
  }

 private:
  Symbolizer& symbols_;
  ResolvedSchedule* resolved_;
  std::map<LineKey, Place> places_;
};

Status CheckLimits(const ResolvedSchedule& resolved) {
  if (resolved.anchors.size() <= kMaxAnchors && resolved.ranges.size() <= kMaxRanges) return {};
  return Error{"the schedule has " + std::to_string(resolved.anchors.size()) +
               " switches, a replay on another build takes at most " + std::to_string(kMaxAnchors) +
               "; replay on the build it was recorded with, or search again"};
}

}  // namespace

Schedule MakeSchedule(const RunTrace& trace, Symbolizer& symbols, std::span<const SiteRef> points,
                      const Finding& finding) {
  ScheduleMaker maker(trace, symbols);
  Schedule schedule;
  schedule.program = finding.invocation.program;
  schedule.arguments = finding.invocation.arguments;
  schedule.build_id = finding.invocation.build_id;
  if (schedule.build_id.empty() && !symbols.modules().empty()) {
    schedule.build_id = BuildIdOf(symbols.modules()[0]);
  }
  schedule.heddle_version = finding.invocation.heddle_version;
  schedule.explore = finding.invocation.explore;
  schedule.isolation = finding.search.isolation;
  schedule.strategy = finding.search.strategy;
  schedule.seed = finding.search.seed;
  schedule.run = finding.first_run;
  schedule.points = finding.search.points;
  schedule.timeouts = finding.search.timeouts;
  schedule.scope = finding.search.scope;
  schedule.kind = std::string(InfoOf(finding.kind).name);
  schedule.message = finding.message;
  schedule.fingerprint = finding.fingerprint;
  schedule.event_hash = trace.record.event_hash;
  schedule.point_set = maker.Points(points);
  schedule.switches = maker.Switches();
  schedule.answers = AnswersOf(trace);
  schedule.input.assign(trace.input.begin(), trace.input.end());
  schedule.input_missing = trace.input_missing;
  return schedule;
}

Result<ResolvedSchedule> Resolve(const Schedule& schedule, Symbolizer& new_build) {
  const std::span<const ModuleRecord> modules = new_build.modules();
  ResolvedSchedule resolved;
  resolved.same_build =
      !schedule.build_id.empty() && !modules.empty() && schedule.build_id == BuildIdOf(modules[0]);
  for (const SchedulePoint& point : schedule.point_set) {
    if (point.lesson != Lesson::kRule) continue;
    resolved.sites.push_back(SiteRef::Of(Lesson::kRule, 0, point.offset));
  }
  if (resolved.same_build) {
    resolved.answers = schedule.answers;
    for (const SchedulePoint& point : schedule.point_set) {
      if (point.lesson == Lesson::kRule) continue;
      for (std::size_t i = 0; i < modules.size(); ++i) {
        if (ModuleName(modules, i) != point.where.module) continue;
        const auto module = static_cast<std::uint32_t>(i);
        resolved.sites.push_back(SiteRef::Of(point.lesson, module, point.offset));
      }
    }
    return resolved;
  }

  Resolver resolver(new_build, &resolved);
  for (const SchedulePoint& point : schedule.point_set) {
    // Where a loop begins is an exact place: another build has to find out for itself.
    if (point.lesson == Lesson::kAccess) resolver.RangesOf(point.where);
  }
  resolved.point_ranges = static_cast<std::uint32_t>(resolved.ranges.size());
  for (const ScheduleSwitch& change : schedule.switches) {
    AnchorRecord anchor;
    anchor.from_path = PathHash(change.from).value_or(0);
    anchor.to_path = PathHash(change.to).value_or(0);
    anchor.occurrence = change.occurrence;
    anchor.decision = change.decision;
    anchor.outcome = change.outcome;
    if (!change.forced) {
      const Resolver::Place place = resolver.RangesOf(change.where);
      if (place.count == 0) continue;  // listed as unresolved: the others may still do
      anchor.kind = change.kind;
      anchor.first_range = place.first;
      anchor.range_count = place.count;
    }
    resolved.anchors.push_back(anchor);
  }
  const Status limits = CheckLimits(resolved);
  if (!limits.ok()) return limits.error();
  return resolved;
}

}  // namespace heddle
