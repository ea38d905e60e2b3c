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

}  // namespace

bool RoadPolicy::IsLate(ThreadId thread) const {
  return std::find(late_.begin(), late_.end(), threads_[thread].path) != late_.end();
}

RoadPolicy::Preference RoadPolicy::PreferenceOf(const Option& option, const RunView& view) const {
  if (option.outcome == Outcome::kTimeout) return kTimesOut;
  if (late_[0] != 0 && IsLate(option.thread)) return kLate;
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
  threads_[0] = {.path = kMainPathHash,
                 .parent = kNoThread,
                 .nth_child = 0,
                 .children = 0,
                 .depth = 0,
                 .events = 0};
  state_.known = 1;
}

void RoadPolicy::Add(ThreadId parent) {
  ThreadInfo& from = threads_[parent];
  const std::uint16_t nth = ++from.children;
  threads_[state_.known++] = {.path = ChildPathHash(from.path, nth),
                              .parent = parent,
                              .nth_child = nth,
                              .children = 0,
                              .depth = static_cast<std::uint16_t>(from.depth + 1),
                              .events = 0};
  state_.in_order = state_.in_order && parent == kMainThread;
}

// Threads that are there without having been created before our eyes are children of main's.
void RoadPolicy::Meet(std::size_t count) {
  while (state_.known < count) Add(kMainThread);
}

bool RoadPolicy::BeforeByPath(ThreadId a, ThreadId b) const {
  ThreadId x = a, y = b;
  while (threads_[x].depth > threads_[y].depth) x = threads_[x].parent;
  while (threads_[y].depth > threads_[x].depth) y = threads_[y].parent;
  if (x == y) return x == a && a != b;
  while (threads_[x].parent != threads_[y].parent) {
    x = threads_[x].parent;
    y = threads_[y].parent;
  }
  return threads_[x].nth_child < threads_[y].nth_child;
}

void RoadPolicy::MeetBehind(const Event& event, std::size_t count) {
  const bool creates = event.kind == OpKind::kCreate;
  Meet(count - (creates ? 1 : 0));
  if (creates) Add(event.thread);
}

// An event behind the road's beginning, while there is still something that it says.
void RoadPolicy::GoAlong(const Event& event) {
  // A sleeper that was woken goes on at once: that is no step of the road.
  const bool goes_on = event.kind == OpKind::kWake && (event.flags & Event::kTimedOut) == 0;
  if (!IsPoint(event.kind) || goes_on) return;
  if (state_.at < road_.steps.size()) {
    if (threads_[event.thread].path != road_.steps[state_.at].path) state_.lost = true;
    ++state_.at;
    // Which message it took was answered before, if there was a choice.
    const bool answered =
        state_.at < road_.steps.size() && road_.steps[state_.at].wakes >= RoadStep::kTakes;
    if (answered) ++state_.at;
  } else {
    state_.then_open = false;
  }
}

void RoadPolicy::Observe(const Event& event, const RunView& view) {
  if (view.pending.size() > state_.known) MeetBehind(event, view.pending.size());
  ++threads_[event.thread].events;
  // Most events lie before the road or behind all that it says.
  if (state_.events++ >= road_.begins && state_.then_open) GoAlong(event);
}

std::size_t RoadPolicy::IndexOf(const Decision& decision, std::uint64_t path) const {
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    if (threads_[decision.options[i].thread].path == path) return i;
  }
  return kAbandon;
}

std::size_t RoadPolicy::Then(const Decision& decision) const {
  const std::size_t index = IndexOf(decision, road_.then_path);
  if (index == kAbandon) return kAbandon;
  const PendingOp& op = decision.view->pending[decision.options[index].thread];
  const bool named = op.object != kNoObject && NamesItsObject(op.kind);
  const std::uint64_t key = named ? decision.view->objects[op.object].key : 0;
  return op.kind == road_.then_kind && key == road_.then_key ? index : kAbandon;
}

// Asked before the receive: the answer stands behind its step.
std::size_t RoadPolicy::Message(const Decision& decision) const {
  const bool is_told = OnRoad() && state_.at + 1 < road_.steps.size() &&
                       road_.steps[state_.at + 1].wakes >= RoadStep::kTakes &&
                       road_.steps[state_.at].path == threads_[decision.current].path;
  if (!is_told) return ByRule(decision);
  const RoadStep& step = road_.steps[state_.at + 1];
  std::uint64_t before = step.wakes - RoadStep::kTakes;  // options of one sender are by age
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    if (threads_[decision.options[i].thread].path == step.path && before-- == 0) return i;
  }
  return kAbandon;
}

std::size_t RoadPolicy::ByRule(const Decision& decision) const {
  std::size_t best = 0;
  if (decision.kind != DecisionKind::kThread) {
    for (std::size_t i = 1; i < decision.options.size(); ++i) {
      if (Before(decision.options[i].thread, decision.options[best].thread)) best = i;
    }
    return best;
  }
  Preference best_kind = PreferenceOf(decision.options[0], *decision.view);
  for (std::size_t i = 1; i < decision.options.size(); ++i) {
    const ThreadId thread = decision.options[i].thread;
    const ThreadId rival = decision.options[best].thread;
    if (best_kind == kFirst && state_.in_order) break;  // as the options are
    if (best_kind == kFirst && !Before(thread, rival)) continue;
    const Preference kind = PreferenceOf(decision.options[i], *decision.view);
    bool better = kind < best_kind;
    if (kind == best_kind) {
      const bool by_events = (kind == kGivesWay || kind == kTimesOut) &&
                             threads_[thread].events != threads_[rival].events;
      better = by_events ? threads_[thread].events < threads_[rival].events : Before(thread, rival);
    }
    if (!better) continue;
    best = i;
    best_kind = kind;
  }
  return best_kind == kGivesWay ? OrHeldBack(decision, best) : best;
}

// One that gives way again and again may be waiting for a reader that is held back.
std::size_t RoadPolicy::OrHeldBack(const Decision& decision, std::size_t gives_way) const {
  constexpr std::uint32_t kPatience = 64;  // events
  std::size_t reader = kAbandon;
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    const Option& option = decision.options[i];
    if (PreferenceOf(option, *decision.view) != kHeldBack) continue;
    const bool is_first =
        reader == kAbandon || Before(option.thread, decision.options[reader].thread);
    if (is_first) reader = i;
  }
  if (reader == kAbandon) return gives_way;
  const std::uint32_t done = threads_[decision.options[gives_way].thread].events;
  const std::uint32_t its = threads_[decision.options[reader].thread].events;
  return done > its + kPatience ? reader : gives_way;
}

std::size_t RoadPolicy::Choose(const Decision& decision) {
  Meet(decision.view->pending.size());
  if (state_.lost) return kAbandon;
  if (decision.kind != DecisionKind::kThread) {
    if (decision.view->pending[decision.current].kind == OpKind::kPortReceive) {
      return Message(decision);
    }
    if (!OnRoad() || road_.steps[state_.at].wakes == 0) return ByRule(decision);
    return IndexOf(decision, road_.steps[state_.at++].path);
  }
  if (OnRoad()) return IndexOf(decision, road_.steps[state_.at].path);
  if (state_.events >= road_.begins && state_.then_open && road_.then_path != 0) {
    const std::size_t then = Then(decision);
    if (then != kAbandon) return then;
  }
  return ByRule(decision);
}

std::unique_ptr<Policy> MakeRoadPolicy() { return std::make_unique<RoadPolicy>(); }

}  // namespace heddle
