#include "strategy/backtrack.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "strategy/params.h"
#include "strategy/state_text.h"
#include "strategy/whole_run.h"

namespace heddle {
namespace {

constexpr std::uint64_t Bit(std::size_t index) { return std::uint64_t{1} << index; }

constexpr std::uint64_t AllOf(std::uint16_t options) {
  return options >= 64 ? ~std::uint64_t{0} : Bit(options) - 1;
}

// Whether `release` gives back what `lock` takes, so that never both are enabled.
bool AreOfOneLock(OpKind lock, OpKind release) {
  switch (lock) {
    case OpKind::kLock:
      return release == OpKind::kUnlock || release == OpKind::kWait;
    case OpKind::kReadLock:
      return release == OpKind::kWriteUnlock;
    case OpKind::kWriteLock:
      return release == OpKind::kWriteUnlock || release == OpKind::kReadUnlock;
    default:
      return false;
  }
}

}  // namespace

BacktrackSearch::BacktrackSearch(const SearchOptions& search, const BacktrackOptions& options)
    : seed_(search.seed), time_waits_(search.time_waits), options_(options) {
  known_.call_sites = options.call_sites;
  state_.hapsets = known_;
}

void BacktrackSearch::Restart() {
  state_ = State();
  state_.hapsets = known_;
}

BacktrackSearch::Index BacktrackSearch::Add(const Node& node) {
  Index index;
  if (state_.free.empty()) {
    index = static_cast<Index>(state_.nodes.size());
    state_.nodes.emplace_back();
  } else {
    index = state_.free.back();
    state_.free.pop_back();
  }
  state_.nodes[index] = node;
  state_.nodes[index].references = 1;
  if (node.parent != kNoNode) ++state_.nodes[node.parent].references;
  ++state_.live;
  return index;
}

void BacktrackSearch::Release(Index index) {
  while (index != kNoNode) {
    Node& node = state_.nodes[index];
    HEDDLE_CHECK(node.references > 0);
    if (--node.references > 0) return;
    state_.free.push_back(index);
    --state_.live;
    index = node.parent;
  }
}

void BacktrackSearch::AddTodo(Index index, std::uint64_t options) {
  Node& node = state_.nodes[index];
  options = Affordable(node, options & ~node.done & ~node.todo);
  if (options == 0) return;
  if (node.todo == 0) {
    ++node.references;
    state_.open.insert({node.depth, index});
  }
  node.todo |= options;
}

// Those that keep the run within its bound of preemptions.
std::uint64_t BacktrackSearch::Affordable(const Node& node, std::uint64_t options) const {
  if (!node.is_thread || !node.current_enabled || node.preemptions < options_.most_preemptions) {
    return options;
  }
  const std::uint64_t free = node.current < 64 ? OptionsOfThreads(node, Bit(node.current)) : 0;
  return options & free;
}

// Options are ordered by thread.
std::uint64_t BacktrackSearch::OptionsOfThreads(const Node& node, std::uint64_t threads) {
  std::uint64_t options = 0;
  std::size_t at = 0;
  for (std::uint64_t left = node.among; left != 0; left &= left - 1, ++at) {
    if ((threads & left & (~left + 1)) != 0) options |= Bit(at);
  }
  return options;
}

std::vector<Answer> BacktrackSearch::PathTo(Index index) const {
  std::vector<Answer> path;
  while (index != kNoNode) {
    const Node& node = state_.nodes[index];
    if (node.parent != kNoNode) path.push_back({node.via, state_.nodes[node.parent].options});
    index = node.parent;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

// The deepest one: with one worker that is depth-first search, and little is kept.
std::optional<BacktrackSearch::Departure> BacktrackSearch::NextOpen() {
  if (state_.open.empty()) return std::nullopt;
  const Index index = state_.open.rbegin()->second;
  Node& node = state_.nodes[index];
  const auto option = static_cast<std::uint16_t>(std::countr_zero(node.todo));
  node.todo &= node.todo - 1;
  node.done |= Bit(option);
  if (node.todo == 0) {
    state_.open.erase({node.depth, index});  // its reference is the plan's from now on
  } else {
    ++node.references;
  }
  return Departure{.node = index, .option = option};
}

std::optional<Plan> BacktrackSearch::Next() {
  Plan plan;
  plan.seed = seed_;
  plan.policy = options_.name;
  if (options_.guided) plan.params[kCallSitesParam] = options_.call_sites + 1;
  Departure from;
  if (state_.learnt < options_.learning_runs) {
    ++state_.learnt;
    plan.run = ++state_.given;
    plan.policy = "random";
    return plan;
  }
  if (!state_.started) {
    state_.started = true;
  } else {
    const std::optional<Departure> next = options_.guided ? NextGoal() : NextOpen();
    if (!next) return std::nullopt;
    from = *next;
    plan.prefix = PathTo(from.node);
    plan.prefix.push_back({from.option, state_.nodes[from.node].options});
  }
  plan.run = ++state_.given;
  state_.outstanding.emplace(plan.run, from);
  return plan;
}

void BacktrackSearch::Learn(const Plan& plan, const RunTrace& trace) {
  if (plan.policy != options_.name) {  // a learning run
    if (!HasAllEvents(trace) || trace.record.outcome != RunOutcome::kExited) return;
    order_.Build(trace);
    CountHeldLocks();
    for (Step e = 0; e < order_.events(); ++e) LearnHapSets(e, trace);
    path_.clear();
    LearnRun(trace);
    return;
  }
  const auto out = state_.outstanding.find(plan.run);
  if (out == state_.outstanding.end()) return;  // of a search before Restart
  const Departure from = out->second;
  state_.outstanding.erase(out);
  const bool follows = FollowsPrefix(plan, trace);
  if (!follows || !HasAllEvents(trace) || WasCutShort(trace)) ++state_.lost;
  // A run that went another way (who is outside the program answered sooner or later than before)
  // still shows orders, and where new ones may be found: as if it began a tree of its own.
  if (follows || (options_.guided && HasAllEvents(trace))) {
    const Departure start = follows ? from : Departure();
    const std::size_t known = follows ? plan.prefix.size() : 0;
    order_.Build(trace);
    if (!order_.sees_all() || order_.hides_orders()) ++state_.lost;
    // Who would have to wait longer than others could not be put in their place.
    if (time_waits_ && order_.moves_clock()) ++state_.lost;
    EnterPath(start, trace);
    if (IsHung(trace)) GoRoundHang(trace);
    const std::size_t first = known == 0 ? 0 : trace.decisions[known - 1].event;
    if (options_.guided) CountHeldLocks();
    WalkAlong(first, trace);
    if (options_.guided) LearnRun(trace);
    if (path_.size() > known) Release(path_.back());
  }
  if (!follows && options_.guided) TryAgain(from);
  if (from.node != kNoNode) Release(from.node);
}

// Makes the nodes of the run's path; those of its prefix are there.
void BacktrackSearch::EnterPath(const Departure& from, const RunTrace& trace) {
  path_.clear();
  for (Index node = from.node; node != kNoNode; node = state_.nodes[node].parent) {
    path_.push_back(node);
  }
  std::reverse(path_.begin(), path_.end());
  std::uint32_t preemptions = 0;
  for (std::size_t i = 0; i < trace.decisions.size(); ++i) {
    const DecisionRecord& decision = trace.decisions[i];
    if (i >= path_.size()) {
      Node node;
      node.parent = path_.empty() ? kNoNode : path_.back();
      node.via = i == 0 ? std::uint16_t{0} : trace.decisions[i - 1].chosen;
      node.options = decision.options;
      node.depth = static_cast<std::uint32_t>(i);
      node.preemptions = preemptions;
      node.current = decision.current;
      node.current_enabled = decision.current_enabled;
      node.is_thread = decision.kind == DecisionKind::kThread;
      node.among = decision.among;
      if (decision.chosen < kMostOptions) node.done = Bit(decision.chosen);
      if (decision.options > kMostOptions ||
          (node.is_thread && std::popcount(node.among) != decision.options)) {
        ++state_.lost;  // too many threads to name
      }
      const Index index = Add(node);
      // We hold the newest; the one before is held by it.
      if (node.parent != kNoNode && i > 0 && path_.back() != from.node) Release(path_.back());
      path_.push_back(index);
      if (!node.is_thread && !options_.guided) AddTodo(index, AllOf(node.options));
    }
    if (decision.kind == DecisionKind::kThread && decision.current_enabled &&
        decision.thread != decision.current) {
      ++preemptions;
    }
  }
  for (const Index node : path_) ++state_.nodes[node].runs;
  node_of_event_.assign(order_.events() + 1, kNoNode);
  for (std::size_t i = 0; i < trace.decisions.size(); ++i) {
    const DecisionRecord& decision = trace.decisions[i];
    if (decision.kind == DecisionKind::kThread && decision.event < node_of_event_.size()) {
      node_of_event_[decision.event] = path_[i];
    }
  }
}

// A thread hung where nobody sees it: instead of what it did last, any other could have gone on.
void BacktrackSearch::GoRoundHang(const RunTrace& trace) {
  Step last = order_.events();
  while (last > 0 &&
         !(order_[last - 1].is_point && order_[last - 1].thread == trace.failure.thread)) {
    --last;
  }
  const Index index = last == 0 ? kNoNode : node_of_event_[last - 1];
  if (index != kNoNode && !options_.guided) AddTodo(index, AllOf(state_.nodes[index].options));
}

// State by state from the first that this run is the first to see.
void BacktrackSearch::WalkAlong(std::size_t first, const RunTrace& trace) {
  const Step events = order_.events();
  const bool is_good = trace.record.outcome == RunOutcome::kExited;
  next_of_thread_.assign(order_.threads(), RunOrder::kNone);
  next_.assign(events, RunOrder::kNone);
  for (Step s = order_.steps(); s-- > 0;) {
    const ThreadId thread = order_[s].thread;
    if (thread == kNoThread) continue;
    if (s < events) next_[s] = next_of_thread_[thread];
    next_of_thread_[thread] = s;
  }
  if (options_.guided) CollectWaits();
  // next_of_thread_ now holds every thread's first step; it is moved on as events pass.
  last_of_thread_.assign(order_.threads(), RunOrder::kNone);
  for (Step e = 0; e < events; ++e) {
    next_of_thread_[order_[e].thread] = next_[e];
    last_of_thread_[order_[e].thread] = e;
    if (e < first) continue;
    // What runs before this one showed of its thread was that it was woken.
    const bool is_new_timeout =
        e == first && order_[e].kind == OpKind::kWake && (order_[e].flags & Event::kTimedOut) != 0;
    if (is_new_timeout) LookBack(e, trace);
    if (options_.guided && is_good) LearnHapSets(e, trace);
    for (const Step t : next_of_thread_) {
      if (t == RunOrder::kNone) continue;
      // The thread could have done what it was about to do before the signal came.
      if (order_[t].kind == OpKind::kHandler && order_[t].disturbed_by == e && !options_.guided) {
        BacktrackTo(e, order_[t].thread, trace);
      }
      if (MightTimeOutBefore(e, t)) BacktrackTo(e, order_[t].thread, trace);
      if (!order_[t].is_point) continue;
      if (order_.IsPending(t) && order_[t].kind == OpKind::kWake &&
          (order_[t].flags & Event::kMayTimeOut) == 0) {
        continue;
      }
      const RunOrder::StepInfo& step = order_[t];
      if (step.creator != RunOrder::kNone && e < step.creator) continue;  // not there yet
      // Its operation is new: since its thread's last event, or since it was woken or created.
      const bool is_new = step.previous == e || step.waker == e || step.creator == e;
      if (is_new) {
        LookBack(t, trace);
        if (options_.guided) LookBehind(t, trace);
      } else if (order_[e].thread != order_[t].thread && order_[e].is_point &&
                 order_.MayDepend(e, t) && MayRace(e, t)) {
        Consider(e, t, trace);
      }
    }
  }
}

// Asleep in a timed wait that ended before `t`, its thread might have timed out before `e`, which
// could have woken it or tells how late it is. Of a futex what it did when it was woken is no
// point.
bool BacktrackSearch::MightTimeOutBefore(Step e, Step t) const {
  const Step sleep = order_[t].previous;
  if (sleep == RunOrder::kNone || e <= sleep) return false;
  const bool is_asleep = order_[t].kind == OpKind::kWake &&
                         (order_.IsPending(t) || (order_[t].flags & Event::kTimedOut) != 0);
  const bool wakes =
      order_[e].object == order_[sleep].object && AccessOf(order_[e].kind) == AccessMode::kAlone;
  return !is_asleep && (wakes || order_[e].kind == OpKind::kTime) &&
         (order_[sleep].kind == OpKind::kWait || order_[sleep].kind == OpKind::kFutexWait) &&
         (order_[sleep].flags & Event::kMayTimeOut) != 0;
}

// The latest event that `t`, which has just become its thread's next operation, races with.
void BacktrackSearch::LookBack(Step t, const RunTrace& trace) {
  Step from = 0;
  for (const Step s : {order_[t].previous, order_[t].waker, order_[t].creator}) {
    if (s != RunOrder::kNone) from = std::max(from, s + 1);
  }
  for (Step s = from; s-- > 0;) {
    if (!order_[s].is_point || order_[s].thread == order_[t].thread) continue;
    if (!order_.MayDepend(s, t) || order_.PrecedesStart(s, t) || !MayRace(s, t)) continue;
    if (Consider(s, t, trace)) return;
  }
}

// Whether both may be enabled in some state. Who gives back what it does not hold only fails.
bool BacktrackSearch::MayRace(Step s, Step t) const {
  const auto exclude = [&](Step lock, Step release) {
    return AreOfOneLock(order_[lock].kind, order_[release].kind) &&
           (order_[lock].flags & Event::kMayTimeOut) == 0 && !order_[release].failed();
  };
  return !exclude(t, s) && !exclude(s, t);
}

// False: guided, and the order is known already; the latest that is not may lie further back.
bool BacktrackSearch::Consider(Step s, Step t, const RunTrace& trace) {
  if (options_.guided) return ConsiderPair(s, t, trace);
  if (node_of_event_[s] != kNoNode) AddTodo(node_of_event_[s], WaysTo(s, t));
  return true;
}

void BacktrackSearch::BacktrackTo(Step s, ThreadId thread, const RunTrace& trace) {
  const Index index = node_of_event_[s];
  if (index == kNoNode || thread >= 64) return;
  const std::uint64_t options = OptionsOfThreads(state_.nodes[index], Bit(thread));
  if (!options_.guided) return AddTodo(index, options);
  // A time-out is a statement of its own: that of the wait, but for its kind.
  HapStatement timeout = StatementOf(last_of_thread_[thread], trace);
  timeout.kind = OpKind::kWake;
  const bool is_lower = order_.RankOf(order_[s].thread) < order_.RankOf(thread);
  AddGoals(index, options, {StatementOf(s, trace), timeout, is_lower}, Risk::kSeen);
}

// The options to try where `s` was chosen, so that `t` comes first.
std::uint64_t BacktrackSearch::WaysTo(Step s, Step t) {
  const Node& node = state_.nodes[node_of_event_[s]];
  const std::uint64_t all = AllOf(node.options);
  if (options_.rule == BacktrackRule::kAllOptions) {
    if (Affordable(node, all & ~node.done) != (all & ~node.done)) state_.pruned = true;
    return all;
  }
  // A thread that was woken since did something else then: it could have timed out.
  const Step waker = order_[t].waker;
  if (waker != RunOrder::kNone && waker > s) return all;
  const ThreadId thread = order_[t].thread;
  const std::uint64_t itself = thread < 64 ? OptionsOfThreads(node, Bit(thread)) : 0;
  if (itself != 0) return itself;
  // Threads that did something between the two that `t` needs.
  std::uint64_t leading = 0;
  for (Step j = s + 1; j < order_.events(); ++j) {
    if (order_[j].thread < 64 && order_.PrecedesStart(j, t)) leading |= Bit(order_[j].thread);
  }
  leading = OptionsOfThreads(node, leading);
  if (leading == 0) return all;
  if ((leading & (node.done | node.todo)) != 0) return 0;
  return leading & (~leading + 1);
}

bool BacktrackSearch::Complete() const {
  return !options_.guided && state_.started && state_.open.empty() && state_.outstanding.empty() &&
         state_.lost == 0 && !state_.pruned;
}

std::string BacktrackSearch::Remark() const {
  if (!options_.guided || !state_.started || !state_.goals.empty()) return {};
  return "The HaPSets left nothing to explore: pruned, not exhaustive.";
}

}  // namespace heddle
