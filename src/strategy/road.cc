#include "strategy/road.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "strategy/flat_data.h"
#include "trace/thread_path.h"

namespace heddle {
namespace {

enum Param : std::size_t { kBegins, kThenPath, kThenKind, kThenKey, kLateThreads };

// It is about to take a lock to read that somebody else is about to take to write.
bool IsHeldBack(ThreadId thread, const RunView& view) {
  const PendingOp& op = view.pending[thread];
  if (op.kind != OpKind::kReadLock && op.kind != OpKind::kTryReadLock) return false;
  for (ThreadId other = 0; other < view.pending.size(); ++other) {
    const PendingOp& its = view.pending[other];
    if (its.kind == OpKind::kWriteLock && its.object == op.object && view.IsLive(other))
      return true;
  }
  return false;
}

std::uint64_t PathOf(ThreadId thread, const RunView& view) {
  return view.threads[thread].path_hash;
}

std::uint64_t EventsOf(ThreadId thread, const RunView& view) {
  return view.counts == nullptr ? 0 : view.counts->EventsOf(thread);
}

}  // namespace

bool RoadPolicy::IsLate(ThreadId thread, const RunView& view) const {
  return std::find(late_.begin(), late_.end(), PathOf(thread, view)) != late_.end();
}

RoadPolicy::Preference RoadPolicy::PreferenceOf(const Option& option, const RunView& view) const {
  if (option.outcome == Outcome::kTimeout) return kTimesOut;
  if (late_[0] != 0 && IsLate(option.thread, view)) return kLate;
  if (IsHeldBack(option.thread, view)) return kHeldBack;
  return OffersToStop(view.pending[option.thread]) ? kGivesWay : kFirst;
}

void WriteRoad(const Road& road, const LateThreads& late, Plan* plan) {
  static_assert(kLateThreads + std::tuple_size_v<LateThreads> <=
                std::tuple_size_v<decltype(Plan::params)>);
  std::copy(late.begin(), late.end(), plan->params.begin() + kLateThreads);
  plan->params[kBegins] = road.begins;
  plan->params[kThenPath] = road.then_path;
  plan->params[kThenKind] = static_cast<std::uint64_t>(road.then_kind);
  plan->params[kThenKey] = road.then_key;
  plan->data.clear();
  if (!road.steps.empty()) AppendRows<RoadStep>(road.steps, plan->data);
}

void RoadPolicy::Read(const Plan& plan) {
  road_.begins = plan.params[kBegins];
  road_.then_path = plan.params[kThenPath];
  road_.then_kind = static_cast<OpKind>(plan.params[kThenKind]);
  road_.then_key = plan.params[kThenKey];
  std::copy_n(plan.params.begin() + kLateThreads, late_.size(), late_.begin());
  std::span<const std::uint8_t> data(plan.data);
  TakeRows(data, road_.steps);
  const bool says_something = !road_.steps.empty() || road_.then_path != 0;
  watches_from_ = says_something ? road_.begins : kNever;
}

// The road begins behind the prefix: no step of it has been made.
void RoadPolicy::GoOnWith(const Plan& plan) {
  Read(plan);
  state_.at = 0;
  state_.lost = false;
  state_.then_open = true;
}

void RoadPolicy::Begin(const Plan& plan) {
  state_ = State();
  Read(plan);
}

void RoadPolicy::Meet(const RunView& view) {
  for (; state_.known < view.pending.size(); ++state_.known) {
    state_.in_order = state_.in_order && view.threads[state_.known].parent == kMainThread;
  }
}

bool RoadPolicy::Before(ThreadId a, ThreadId b, const RunView& view) const {
  return state_.in_order ? a < b : ComesBefore(a, b, view.threads, view.pending.size());
}

// An event behind the road's beginning, while there is still something that it says.
void RoadPolicy::Observe(const Event& event, const RunView& view) {
  // A sleeper that was woken goes on at once: that is no step of the road.
  const bool goes_on = event.kind == OpKind::kWake && (event.flags & Event::kTimedOut) == 0;
  if (!IsPoint(event.kind) || goes_on) return;
  if (state_.at < road_.steps.size()) {
    if (PathOf(event.thread, view) != road_.steps[state_.at].path) state_.lost = true;
    ++state_.at;
    // Which message it took was answered before, if there was a choice.
    const bool answered =
        state_.at < road_.steps.size() && road_.steps[state_.at].wakes >= RoadStep::kTakes;
    if (answered) ++state_.at;
  } else {
    state_.then_open = false;
    watches_from_ = kNever;
  }
}

std::size_t RoadPolicy::IndexOf(const Decision& decision, std::uint64_t path) {
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    if (PathOf(decision.options[i].thread, *decision.view) == path) return i;
  }
  return kAbandon;
}

std::size_t RoadPolicy::Then(const Decision& decision) const {
  const std::size_t index = IndexOf(decision, road_.then_path);
  if (index == kAbandon) return kAbandon;
  const PendingOp& op = decision.view->pending[decision.options[index].thread];
  const bool named = op.object != kNoObject && NamesItsObject(op.kind);
  const std::uint64_t key = named ? decision.view->objects[op.object].key : 0;
  return AreSameKind(op.kind, road_.then_kind) && key == road_.then_key ? index : kAbandon;
}

// Asked before the receive: the answer stands behind its step.
std::size_t RoadPolicy::Message(const Decision& decision) const {
  const bool is_told = OnRoad(decision) && state_.at + 1 < road_.steps.size() &&
                       road_.steps[state_.at + 1].wakes >= RoadStep::kTakes &&
                       road_.steps[state_.at].path == PathOf(decision.current, *decision.view);
  if (!is_told) return ByRule(decision);
  const RoadStep& step = road_.steps[state_.at + 1];
  std::uint64_t before = step.wakes - RoadStep::kTakes;  // options of one sender are by age
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    const std::uint64_t path = PathOf(decision.options[i].thread, *decision.view);
    if (path == step.path && before-- == 0) return i;
  }
  return kAbandon;
}

std::size_t RoadPolicy::ByRule(const Decision& decision) const {
  // Most often the first option is the first by path, and has no reason to be behind others.
  const bool is_first = decision.kind == DecisionKind::kThread && state_.in_order &&
                        PreferenceOf(decision.options[0], *decision.view) == kFirst;
  return is_first ? 0 : ByRuleAmongAll(decision);
}

std::size_t RoadPolicy::ByRuleAmongAll(const Decision& decision) const {
  const RunView& view = *decision.view;
  std::size_t best = 0;
  if (decision.kind != DecisionKind::kThread) {
    for (std::size_t i = 1; i < decision.options.size(); ++i) {
      if (Before(decision.options[i].thread, decision.options[best].thread, view)) best = i;
    }
    return best;
  }
  Preference best_kind = PreferenceOf(decision.options[0], view);
  for (std::size_t i = 1; i < decision.options.size(); ++i) {
    const ThreadId thread = decision.options[i].thread;
    const ThreadId rival = decision.options[best].thread;
    if (best_kind == kFirst && state_.in_order) break;  // as the options are
    if (best_kind == kFirst && !Before(thread, rival, view)) continue;
    const Preference kind = PreferenceOf(decision.options[i], view);
    bool better = kind < best_kind;
    if (kind == best_kind) {
      const bool by_events = kind == kGivesWay || kind == kTimesOut;
      const std::uint64_t done = by_events ? EventsOf(thread, view) : 0;
      const std::uint64_t its = by_events ? EventsOf(rival, view) : 0;
      better = done != its ? done < its : Before(thread, rival, view);
    }
    if (!better) continue;
    best = i;
    best_kind = kind;
  }
  return best_kind == kGivesWay ? OrHeldBack(decision, best) : best;
}

// One that gives way again and again may be waiting for a reader that is held back.
std::size_t RoadPolicy::OrHeldBack(const Decision& decision, std::size_t gives_way) const {
  constexpr std::uint64_t kPatience = 64;  // events
  std::size_t reader = kAbandon;
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    const Option& option = decision.options[i];
    if (PreferenceOf(option, *decision.view) != kHeldBack) continue;
    const bool is_first = reader == kAbandon ||
                          Before(option.thread, decision.options[reader].thread, *decision.view);
    if (is_first) reader = i;
  }
  if (reader == kAbandon) return gives_way;
  const std::uint64_t done = EventsOf(decision.options[gives_way].thread, *decision.view);
  const std::uint64_t its = EventsOf(decision.options[reader].thread, *decision.view);
  return done > its + kPatience ? reader : gives_way;
}

std::size_t RoadPolicy::Choose(const Decision& decision) {
  Meet(*decision.view);
  if (state_.lost) return kAbandon;
  if (decision.kind != DecisionKind::kThread) {
    if (decision.view->pending[decision.current].kind == OpKind::kPortReceive) {
      return Message(decision);
    }
    if (!OnRoad(decision) || road_.steps[state_.at].wakes == 0) return ByRule(decision);
    return IndexOf(decision, road_.steps[state_.at++].path);
  }
  if (OnRoad(decision)) return IndexOf(decision, road_.steps[state_.at].path);
  if (decision.step >= road_.begins && state_.then_open && road_.then_path != 0) {
    const std::size_t then = Then(decision);
    if (then != kAbandon) return then;
  }
  return ByRule(decision);
}

std::unique_ptr<Policy> MakeRoadPolicy() { return std::make_unique<RoadPolicy>(); }

}  // namespace heddle
