// Guidance by HaPSets: variables that belong together.
//
// A HaPSet is about one object. What a thread keeps in step in two variables without a lock is
// wrong for who comes between: behind it at the first, before it at the second. Each of these
// orders has been seen when the threads have run one behind the other, both ways, so no HaPSet
// shows it, in the paper neither. As with sections (LearnCrossings), the two variables that a pair
// of threads passes one behind the other are told apart by whether both are passed in one order.
#include <algorithm>

#include "strategy/backtrack.h"

namespace heddle {

bool BacktrackSearch::IsBareAccess(Step step) const {
  const OpKind kind = order_[step].kind;
  return order_[step].is_point && held_[step] == 0 && (IsPlainAccess(kind) || IsAtomic(kind));
}

void BacktrackSearch::LearnWoven(const RunTrace& trace) {
  const std::size_t threads = std::min<std::size_t>(order_.threads(), 64);
  passings_.assign(threads * threads, Passing());
  const bool is_good = trace.record.outcome == RunOutcome::kExited;
  for (Step t = 0; t < order_.events(); ++t) {
    const ThreadId later = order_[t].thread;
    const ObjectId object = order_[t].object;
    if (later >= threads || object == kNoObject || !IsBareAccess(t)) continue;
    Step s = order_[t].before[0];
    while (s != RunOrder::kNone && order_[s].thread != later && !order_.MayDepend(s, t)) {
      s = order_.LinkOn(s, object).before;
    }
    if (s == RunOrder::kNone || order_[s].thread == later || order_[s].thread >= threads ||
        !IsBareAccess(s)) {
      continue;
    }
    const ThreadId sooner = order_[s].thread;
    Passing& last = passings_[std::min(sooner, later) * threads + std::max(sooner, later)];
    const Passing before = last;
    last = {s, t};
    if (before.first == RunOrder::kNone || order_[before.first].object == object) continue;
    if (order_[before.first].thread == later) {
      if (is_good) state_.crossed.Add(CrossingOf(t, s, before, trace));
      continue;
    }
    const Index index = path_.empty() ? kNoNode : node_of_event_[s];
    if (index == kNoNode || before.first > s) continue;
    const HapPair other = CrossingOf(s, t, before, trace);
    if (state_.crossed.Has(other)) continue;
    const std::uint64_t thread = std::uint64_t{1} << later;
    AddGoals(index, OptionsOfThreads(state_.nodes[index], thread), other, Risk::kWoven);
  }
}

}  // namespace heddle
