#include "explore/shrink.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "explore/replayer.h"

namespace heddle {
namespace {

struct Anchors {
  std::vector<AnchorRecord> anchors;
  std::vector<CodeRange> ranges;
};

std::optional<SiteRef> SiteOf(std::uint64_t address, const std::vector<ModuleRecord>& modules) {
  for (std::uint32_t i = 0; i < modules.size(); ++i) {
    if (address >= modules[i].begin && address < modules[i].end) {
      return SiteRef{i, static_cast<std::uint32_t>(address - modules[i].base)};
    }
  }
  return std::nullopt;
}

std::optional<Anchors> AnchorsOf(const std::vector<Switch>& switches, const OwnedTrace& trace,
                                 const std::vector<ModuleRecord>& modules) {
  Anchors result;
  for (const Switch& s : switches) {
    AnchorRecord anchor;
    anchor.from_path = trace.threads[s.from].path_hash;
    anchor.to_path = trace.threads[s.to].path_hash;
    anchor.occurrence = s.occurrence;
    anchor.kind = s.kind;
    anchor.decision = s.decision;
    anchor.outcome = s.outcome;
    if (!s.forced) {
      const std::optional<SiteRef> site = SiteOf(s.site, modules);
      if (!site || site->offset == 0) return std::nullopt;
      anchor.first_range = static_cast<std::uint32_t>(result.ranges.size());
      anchor.range_count = 1;
      // A range holds return addresses from behind its begin up to its end.
      result.ranges.push_back({site->module, site->offset - 1, site->offset});
    }
    result.anchors.push_back(anchor);
  }
  if (result.anchors.empty() || result.anchors.size() > kMaxAnchors) return std::nullopt;
  return result;
}

bool IsPreemption(const Switch& s) {
  return s.decision == DecisionKind::kThread && !s.forced && s.from != s.to;
}

class Shrinker {
 public:
  Shrinker(const Plan& plan, const ShrinkOptions& options, const Attempt& attempt)
      : plan_(plan),
        options_(options),
        attempt_(attempt),
        deadline_(MonotonicSeconds() + options.seconds) {}

  std::vector<Answer> Shrink(std::vector<Answer> answers) {
    if (!TryAnswers(answers)) return answers;
    CutTail(answers);
    DropStretches();
    const std::vector<Answer> simplest = AnswersOf(best_->View());
    return simplest.size() < answers.size() || best_->record.preemptions < first_preemptions_
               ? simplest
               : answers;
  }

 private:
  bool MayTry() const { return made_ < options_.most_runs && MonotonicSeconds() < deadline_; }

  bool Keep(std::optional<OwnedTrace> trace) {
    if (!trace) return false;
    if (!best_) first_preemptions_ = trace->record.preemptions;
    if (best_ && trace->record.preemptions > best_->record.preemptions) return true;
    best_ = std::move(trace);
    return true;
  }

  bool TryAnswers(std::vector<Answer> answers) {
    ++made_;
    const Plan plan = PlanOf(std::move(answers), plan_.run, plan_.seed);
    return Keep(attempt_({.plan = &plan, .sites = options_.sites}));
  }

  // The shortest beginning that suffices, by bisection (failing need not be monotone; whatever is
  // found does fail).
  void CutTail(const std::vector<Answer>& answers) {
    std::size_t passes = 0;
    std::size_t fails = answers.size();
    while (fails - passes > 1 && MayTry()) {
      const std::size_t middle = passes + (fails - passes) / 2;
      const auto end = answers.begin() + static_cast<std::ptrdiff_t>(middle);
      (TryAnswers({answers.begin(), end}) ? fails : passes) = middle;
    }
  }

  bool TrySwitches(const std::vector<Switch>& switches) {
    const auto anchors = AnchorsOf(switches, *best_, options_.modules);
    if (!anchors) return false;
    ++made_;
    const Plan plan = PlanOf({}, plan_.run, plan_.seed);
    const std::uint64_t before = best_->record.preemptions;
    auto trace = attempt_({.plan = &plan,
                           .sites = options_.sites,
                           .anchors = anchors->anchors,
                           .ranges = anchors->ranges});
    if (!trace || trace->record.preemptions >= before) return false;
    best_ = std::move(trace);
    return true;
  }

  // Puts off `count` stretches, the first being the nth preemption of the best run.
  bool TryWithout(std::size_t nth, std::size_t count) {
    std::vector<Switch> switches = SwitchesOf(*best_);
    for (; count > 0; --count) {
      std::size_t seen = 0;
      const auto at = std::find_if(switches.begin(), switches.end(), [&](const Switch& s) {
        return IsPreemption(s) && seen++ == nth;
      });
      if (at == switches.end()) break;
      switches = PutOff(std::move(switches), static_cast<std::size_t>(at - switches.begin()));
    }
    return TrySwitches(switches);
  }

  void DropStretches() {
    std::size_t chunk = best_->record.preemptions / 2;
    for (; chunk >= 1 && MayTry(); chunk /= 2) {
      for (std::size_t nth = 0; nth < best_->record.preemptions && MayTry();) {
        if (!TryWithout(nth, chunk)) nth += chunk;
      }
    }
  }

  const Plan& plan_;
  const ShrinkOptions& options_;
  const Attempt& attempt_;
  const double deadline_;
  int made_ = 0;
  std::uint64_t first_preemptions_ = 0;
  std::optional<OwnedTrace> best_;
};

}  // namespace

std::vector<Answer> Shrink(const Plan& plan, std::vector<Answer> answers,
                           const ShrinkOptions& options, const Attempt& attempt) {
  return Shrinker(plan, options, attempt).Shrink(std::move(answers));
}

std::vector<Switch> SwitchesOf(const OwnedTrace& trace) {
  using Place = std::tuple<ThreadId, OpKind, std::uint64_t>;
  std::map<Place, std::uint32_t> seen;  // announced so far
  std::vector<std::vector<std::uint32_t>> events_of(trace.threads.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    events_of[trace.events[i].thread].push_back(i);
  }
  std::vector<Switch> switches;
  std::uint32_t counted = 0;
  for (const DecisionRecord& decision : trace.decisions) {
    for (; counted < decision.event && counted < trace.events.size(); ++counted) {
      const Event& event = trace.events[counted];
      ++seen[{event.thread, event.kind, event.site}];
    }
    const bool goes_on = decision.kind == DecisionKind::kThread &&
                         decision.thread == decision.current &&
                         decision.outcome == Outcome::kNormal;
    if (goes_on || decision.current == kNoThread || decision.thread == kNoThread) continue;
    Switch s{.decision = decision.kind,
             .outcome = decision.outcome,
             .from = decision.current,
             .to = decision.thread,
             .forced = decision.kind == DecisionKind::kThread && !decision.current_enabled};
    if (!s.forced) {
      const auto& own = events_of[s.from];
      const auto next = std::lower_bound(own.begin(), own.end(), decision.event);
      if (next != own.end()) {
        s.kind = trace.events[*next].kind;
        s.site = trace.events[*next].site;
      } else {
        s.kind = trace.threads[s.from].pending.kind;
        s.site = trace.threads[s.from].pending.site;
      }
      const auto count = seen.find({s.from, s.kind, s.site});
      s.occurrence = (count == seen.end() ? 0 : count->second) + 1;
    }
    switches.push_back(s);
  }
  return switches;
}

std::vector<Switch> PutOff(std::vector<Switch> switches, std::size_t index) {
  const Switch dropped = switches[index];
  const auto first = switches.begin() + static_cast<std::ptrdiff_t>(index);
  const auto back = std::find_if(first + 1, switches.end(), [&dropped](const Switch& s) {
    return s.decision == DecisionKind::kThread && s.from == dropped.to;
  });
  if (back == switches.end()) {
    switches.erase(first);
    return switches;
  }
  const ThreadId after = back->to;
  switches.erase(back);
  if (after == dropped.from) {
    switches.erase(first);
  } else {
    first->to = after;
  }
  return switches;
}

}  // namespace heddle
