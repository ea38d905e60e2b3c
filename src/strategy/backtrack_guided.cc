// Guidance by HaPSets: Algorithms 1 (learning), 4 (guidance) and 5 (continuous learning) of the
// paper, and the order in which goals are tried.
#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "strategy/backtrack.h"
#include "trace/held_locks.h"

namespace heddle {
namespace {

// A pair is aimed at so often, and for every thread so often again: to get one of many like
// threads past another may take a run for each.
constexpr std::uint32_t kTries = 8;
constexpr std::uint32_t kTriesPerThread = 2;

constexpr std::uint64_t Bit(std::size_t index) { return std::uint64_t{1} << index; }

bool Failed(std::uint8_t flags) { return (flags & (Event::kFailed | Event::kTimedOut)) != 0; }

}  // namespace

void BacktrackSearch::KnowHapSets(const HapSets& sets) {
  known_ = sets;
  for (const HapPair& pair : sets.pairs()) state_.hapsets.Add(pair);
}

Risk BacktrackSearch::RiskOf(Step s, Step t) const {
  const bool of_locks = IsOfLock(order_[s].kind) && IsOfLock(order_[t].kind);
  return of_locks && held_[s] == 0 && held_[t] == 0 ? Risk::kThrough : Risk::kSeen;
}

HapPair BacktrackSearch::PairOf(Step s, Step t, const RunTrace& trace) const {
  const bool is_lower = order_.RankOf(order_[s].thread) < order_.RankOf(order_[t].thread);
  return {StatementOf(s, trace), StatementOf(t, trace), is_lower};
}

bool BacktrackSearch::ConsiderPair(Step s, Step t, const RunTrace& trace) {
  const HapPair pair = PairOf(s, t, trace);
  if (state_.hapsets.Has(pair)) {
    ConsiderWaiters(s, t, pair, trace);
    state_.pruned = true;
    return false;
  }
  const Index index = node_of_event_[s];
  const bool is_shown = state_.shown.Has(pair);
  const Risk risk = is_shown ? Risk::kShown : RiskOf(s, t);
  if (index != kNoNode) AddGoals(index, WaysTo(s, t), pair, risk);
  return !is_shown;
}

void BacktrackSearch::AddGoals(Index index, std::uint64_t options, const HapPair& pair, Risk risk) {
  Node& node = state_.nodes[index];
  for (std::uint64_t left = Affordable(node, options & ~node.done); left != 0; left &= left - 1) {
    const auto option = static_cast<std::uint16_t>(std::countr_zero(left));
    const Goal goal{.node = index, .option = option, .pair = pair};
    if (state_.goals.Add(goal, risk, node.depth)) ++node.references;
  }
}

bool BacktrackSearch::IsCovered(const HapPair& pair) const {
  return state_.hapsets.Has(pair) || state_.serial.Has(pair) || state_.woken.Has(pair) ||
         state_.crossed.Has(pair);
}

std::optional<BacktrackSearch::Departure> BacktrackSearch::NextGoal() {
  const auto most_tries = static_cast<std::uint32_t>(kTries + kTriesPerThread * order_.threads());
  while (const std::optional<Goal> goal = state_.goals.Take()) {
    Node& node = state_.nodes[goal->node];
    if ((node.done & Bit(goal->option)) == 0) {
      if (!IsCovered(goal->pair) && state_.goals.TriesOf(goal->pair) < most_tries) {
        state_.goals.Try(goal->pair);
        node.done |= Bit(goal->option);
        return Departure{.node = goal->node, .option = goal->option, .pair = goal->pair};
      }
      state_.pruned = true;
    }
    Release(goal->node);
  }
  return std::nullopt;
}

// The run did not come to where it was to be turned aside. It counts as one of the tries.
void BacktrackSearch::TryAgain(const Departure& from) {
  if (from.node == kNoNode || IsCovered(from.pair)) return;
  state_.nodes[from.node].done &= ~Bit(from.option);
  AddGoals(from.node, Bit(from.option), from.pair, Risk::kSeen);
}

HapStatement BacktrackSearch::StatementOf(Step step, const RunTrace& trace) const {
  HapStatement statement{.kind = order_[step].kind};
  if (order_.IsPending(step)) {
    const PendingOp& op = trace.threads[order_[step].thread].pending;
    statement.site = op.site;
    if (options_.call_sites > 0) statement.context = op.context;
  } else {
    statement.site = trace.events[step].site;
    if (options_.call_sites > 0) statement.context = trace.events[step].context;
  }
  return statement;
}

// Where a lock was taken says where it was given back; unless it is taken again by who holds it
// (the paper's section 3.2).
bool BacktrackSearch::IsStatement(Step step) const {
  if (order_[step].kind != OpKind::kUnlock) return true;
  const ObjectId object = order_[step].object;
  return object < is_recursive_.size() && is_recursive_[object] != 0;
}

// The last access of every other thread to the same object. Differs from the print of Algorithm 1,
// line 18: only what lies behind this thread's own previous access to the object counts, as in the
// paper's Figure 1 (where e1 does not enter the set of e3).
//
// What this run does not show, but one of its class would, is kept apart: two accesses that commute
// (reads) have no order, so neither hides the other. A run that is made for such an order can come
// to the same class again, so it is made last.
void BacktrackSearch::LearnHapSets(Step e, const RunTrace& trace) {
  if (!order_[e].is_point || !IsStatement(e)) return;
  const ObjectId object = order_[e].object;
  if (object == kNoObject) return;
  LearnFirst(e, trace);
  earliest_.resize(64);
  Step own = RunOrder::kNone;  // this thread's own access before
  std::uint64_t met = 0;
  std::uint64_t done = 0;  // threads whose last access is known
  for (Step s = order_[e].before[0]; s != RunOrder::kNone; s = order_.LinkOn(s, object).before) {
    const ThreadId thread = order_[s].thread;
    if (!IsStatement(s)) continue;
    if (thread == order_[e].thread) {
      const AccessMode access = order_[s].access();
      // Whatever of the rest `e` depends on happens before this one.
      if (access == AccessMode::kAlone || access == order_[e].access()) return;
      if (own == RunOrder::kNone) own = s;
      continue;
    }
    if (thread >= 64 || (done & Bit(thread)) != 0) continue;
    const bool is_first = (met & Bit(thread)) == 0;
    const bool is_last = is_first || !order_.HappensBefore(earliest_[thread], e);
    met |= Bit(thread);
    earliest_[thread] = s;
    if (!is_last) done |= Bit(thread);
    if (own != RunOrder::kNone && order_.HappensBefore(s, own)) {
      if (!Commute(order_[s].access(), order_[own].access())) return;
      done |= Bit(thread);
    }
    if ((done & Bit(thread)) != 0 || !order_.MayDepend(s, e)) continue;
    done |= Bit(thread);
    const bool is_lower = order_.RankOf(order_[e].thread) < order_.RankOf(thread);
    const HapPair pair = {StatementOf(e, trace), StatementOf(s, trace), is_lower};
    (own == RunOrder::kNone && is_first ? state_.hapsets : state_.shown).Add(pair);
    LearnOvertaking(e, s, pair);
  }
}

void BacktrackSearch::LearnRun(const RunTrace& trace) {
  LearnSerialOrders(trace);
  LearnWoken(trace);
  LearnCrossings(trace);
  LearnWoven(trace);
  LearnRings(trace);
}

// Two threads that touch common objects, all of one before all of the other: what is written for
// one order often holds in that order only. A thread is known by its first statement. It takes no
// preemption to turn the order round, and no chain of races, each hidden behind the one before it.
// That a thread ends the process behind all others is no access of that kind.
void BacktrackSearch::LearnSerialOrders(const RunTrace& trace) {
  const std::size_t threads = std::min<std::size_t>(order_.threads(), 64);
  first_of_thread_.assign(order_.threads(), RunOrder::kNone);
  behind_.assign(order_.threads(), 0);
  for (Step e = 0; e < order_.events(); ++e) {
    const ThreadId thread = order_[e].thread;
    if (!order_[e].is_point || order_.EndsProcess(e)) continue;
    if (first_of_thread_[thread] == RunOrder::kNone) first_of_thread_[thread] = e;
    for (const Step before : order_.ConflictsOf(e)) {
      if (order_[before].thread < 64) behind_[thread] |= Bit(order_[before].thread);
    }
  }
  for (ThreadId a = 0; a < threads; ++a) {
    for (ThreadId b = 0; b < threads; ++b) {
      const bool is_serial = (behind_[b] & Bit(a)) != 0 && (behind_[a] & Bit(b)) == 0;
      const Step first = first_of_thread_[a];
      if (!is_serial || first == RunOrder::kNone || first_of_thread_[b] == RunOrder::kNone)
        continue;
      HapStatement of_a = StatementOf(first, trace);
      HapStatement of_b = StatementOf(first_of_thread_[b], trace);
      of_a.kind = of_b.kind = OpKind::kStart;
      const bool a_is_lower = order_.RankOf(a) < order_.RankOf(b);
      if (trace.record.outcome == RunOutcome::kExited) state_.serial.Add({of_b, of_a, !a_is_lower});
      const HapPair other{of_a, of_b, a_is_lower};
      if (path_.empty() || state_.serial.Has(other) || node_of_event_[first] == kNoNode) continue;
      const Index index = node_of_event_[first];
      AddGoals(index, OptionsOfThreads(state_.nodes[index], Bit(b)), other, Risk::kSerial);
    }
  }
}

// `statement` behind `before`, when at what they passed before it was the other way round.
HapPair BacktrackSearch::CrossingOf(Step statement, Step before, const Passing& passed,
                                    const RunTrace& trace) const {
  HapPair pair = PairOf(statement, before, trace);
  const HapStatement one = StatementOf(passed.first, trace);
  const HapStatement other = StatementOf(passed.second, trace);
  const std::uint64_t both = Mix(Mix(one.site, one.context), Mix(other.site, other.context));
  pair.statement.context ^= static_cast<std::uint32_t>(both);
  return pair;
}

// Two threads that pass through two sections, under different locks: what they do in both may
// belong together, and then it matters that they pass the second in another order than the first.
// No HaPSet shows that, in the paper neither: each order of each section has been seen when the
// threads have run one behind the other, both ways.
void BacktrackSearch::LearnCrossings(const RunTrace& trace) {
  const std::size_t threads = std::min<std::size_t>(order_.threads(), 64);
  passings_.assign(threads * threads, Passing());
  const bool is_good = trace.record.outcome == RunOutcome::kExited;
  const auto begins_section = [&](Step step) {
    return IsOfLock(order_[step].kind) && ChangeOfHeld(order_[step].kind) > 0 &&
           !Failed(order_[step].flags) && held_[step] == 0;
  };
  for (Step t = 0; t < order_.events(); ++t) {
    const ThreadId later = order_[t].thread;
    if (later >= threads || !begins_section(t)) continue;
    const ObjectId lock = order_[t].object;
    Step s = order_[t].before[0];
    while (s != RunOrder::kNone && !(order_[s].object == lock && begins_section(s))) {
      s = order_.LinkOn(s, lock).before;
    }
    if (s == RunOrder::kNone || order_[s].thread == later || order_[s].thread >= threads) continue;
    const ThreadId sooner = order_[s].thread;
    Passing& last = passings_[std::min(sooner, later) * threads + std::max(sooner, later)];
    const Passing before = last;
    last = {s, t};
    if (before.first == RunOrder::kNone || order_[before.first].object == lock) continue;
    if (order_[before.first].thread == later) {
      if (is_good) state_.crossed.Add(CrossingOf(t, s, before, trace));
      continue;
    }
    const Index index = path_.empty() ? kNoNode : node_of_event_[s];
    if (index == kNoNode || before.first > s || order_.PrecedesStart(s, t)) continue;
    const HapPair other = CrossingOf(s, t, before, trace);
    if (!state_.crossed.Has(other)) AddGoals(index, WaysTo(s, t), other, Risk::kCrossed);
  }
}

}  // namespace heddle
