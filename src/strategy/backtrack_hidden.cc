// Guidance by HaPSets: orders that a run hides, because what its threads did before, often with
// locks, keeps them in order. The locks may as well be taken the other way round.
#include <algorithm>

#include "strategy/backtrack.h"
#include "trace/held_locks.h"

namespace heddle {
namespace {

// In a loop the same is ruled out again and again.
constexpr int kMostRuledOut = 16;

constexpr std::uint64_t Bit(std::size_t index) { return std::uint64_t{1} << index; }

}  // namespace

// The latest event that `t` is dependent on, in an order that is new the other way round, though
// `s` happens before `t` in this run. Without this an order may be hidden behind others that have
// been seen.
void BacktrackSearch::LookBehind(Step t, const RunTrace& trace) {
  const ObjectId object = order_[t].object;
  const ThreadId thread = order_[t].thread;
  if (object == kNoObject || thread >= 64 || IsOfLock(order_[t].kind)) return;
  Step end = 0;
  int ruled_out = 0;
  Step guarded = RunOrder::kNone;       // the thread's own access to it under a lock
  std::uint64_t guarding_likewise = 0;  // threads that also hold a lock of `t` at some access to it
  for (Step s = order_[t].before[0]; s != RunOrder::kNone && s >= end;
       s = order_.LinkOn(s, object).before) {
    if (order_[s].thread == thread && held_[s] > 0 && guarded == RunOrder::kNone) guarded = s;
    if (order_[s].thread == thread || !order_[s].is_point) continue;
    const std::uint64_t other = order_[s].thread < 64 ? Bit(order_[s].thread) : 0;
    if (held_[t] > 0 && HaveCommonLock(s, t)) guarding_likewise |= other;
    if (!order_.MayDepend(s, t) || !order_.PrecedesStart(s, t) || !MayRace(s, t)) continue;
    const HapPair pair = PairOf(s, t, trace);
    if (state_.hapsets.Has(pair)) continue;
    const Step barrier = LockBetween(s, t, s);
    if (barrier != RunOrder::kNone && IsRuledOut(s, t, barrier)) {
      end = std::max(end, barrier);  // an earlier one of the same section may do
      if (++ruled_out == kMostRuledOut) return;
      continue;
    }
    const Index index = node_of_event_[barrier == RunOrder::kNone ? s : barrier];
    if (index == kNoNode) continue;
    const std::uint64_t itself = OptionsOfThreads(state_.nodes[index], Bit(thread));
    if (itself == 0) continue;
    const bool is_shown = state_.shown.Has(pair);
    // Both threads take a lock for it elsewhere: what keeps this access in order is chance.
    const bool is_left_out =
        (held_[s] == 0 && (guarding_likewise & other) != 0) ||
        (held_[t] == 0 && guarded != RunOrder::kNone && HaveCommonLock(guarded, s));
    const Risk unseen = is_left_out ? Risk::kSeen : Risk::kHidden;
    AddGoals(index, itself, pair, is_shown ? Risk::kShown : unseen);
    if (!is_shown) return;
  }
}

// The event that took the first of the locks that the thread of `s` holds at `s` and the thread of
// `t` waits for on its way from `from` to `t`. A run that is turned aside behind it for `t` comes
// to `s` first.
RunOrder::Step BacktrackSearch::LockBetween(Step s, Step t, Step from) const {
  Step first = RunOrder::kNone;
  for (std::uint32_t at = holds_[s]; at != kHoldsNone; at = held_locks_[at].others) {
    const Step taken = held_locks_[at].taken;
    const Step on_way = LastTaking(order_[t].thread, order_[taken].object, t);
    if (on_way == RunOrder::kNone || on_way <= from) continue;
    if (WaitsFor(order_[on_way].kind, order_[taken].kind)) first = taken;  // from last to first
  }
  return first;
}

// Whether the lock that `barrier` takes keeps `t` from coming right before `s`: `t` comes before
// all of the section then, and what that does to the object before `s` lies between them; so does
// what the section of `t` does to it behind `t`.
bool BacktrackSearch::IsRuledOut(Step s, Step t, Step barrier) const {
  const ObjectId object = order_[t].object;
  for (Step between = order_.LinkOn(s, object).before;
       between != RunOrder::kNone && between > barrier;
       between = order_.LinkOn(between, object).before) {
    if (order_[between].thread == order_[s].thread && order_[between].is_point &&
        order_.MayDepend(between, t)) {
      return true;
    }
  }
  if (order_.IsPending(t)) return false;
  const ObjectId lock = order_[barrier].object;
  if (TookHeld(t, lock) == RunOrder::kNone) return false;
  for (Step later = next_[t]; later != RunOrder::kNone && !order_.IsPending(later);
       later = next_[later]) {
    const RunOrder::StepInfo& step = order_[later];
    const bool gives_up = step.kind == OpKind::kWait && step.second == lock;
    if (gives_up || (step.object == lock && ChangeOfHeld(step.kind) < 0)) return false;
    if (step.is_point && order_.Touches(later, object)) return true;
  }
  return false;
}

}  // namespace heddle
