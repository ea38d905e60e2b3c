// Guidance by HaPSets: which locks the threads of a run hold.
#include <algorithm>

#include "strategy/backtrack.h"
#include "trace/held_locks.h"

namespace heddle {

void BacktrackSearch::CountHeldLocks() {
  held_.assign(order_.steps(), 0);
  holds_.assign(order_.steps(), kHoldsNone);
  takings_.clear();
  held_locks_.clear();
  of_thread_.assign(order_.threads(), HeldByThread());
  is_recursive_.clear();
  for (Step s = 0; s < order_.steps(); ++s) {
    const RunOrder::StepInfo& step = order_[s];
    if (step.thread == kNoThread) continue;
    HeldByThread& of = of_thread_[step.thread];
    held_[s] = of.count;
    holds_[s] = of.last;
    if (ChangeOfHeld(step.kind) > 0 && step.lock.holder == step.thread &&
        step.object != kNoObject) {
      if (step.object >= is_recursive_.size()) is_recursive_.resize(step.object + std::size_t{1});
      is_recursive_[step.object] = 1;
    }
    const int change = step.failed() ? 0 : ChangeOfHeld(step.kind);
    if (change > 0) {
      ++of.count;
      takings_.push_back({step.thread, step.object, s});
      of.last = Hold(s, of.last);
    }
    if (change < 0) {
      if (of.count > 0) --of.count;
      of.last = Without(step.kind == OpKind::kWait ? step.second : step.object, of.last);
    }
  }
  std::sort(takings_.begin(), takings_.end());
}

std::uint32_t BacktrackSearch::Hold(Step taken, std::uint32_t others) {
  held_locks_.push_back({.taken = taken, .others = others});
  return static_cast<std::uint32_t>(held_locks_.size() - 1);
}

// The list without the lock that was taken last of those on `object`: what steps before know stays.
std::uint32_t BacktrackSearch::Without(ObjectId object, std::uint32_t list) {
  if (list == kHoldsNone) return list;
  const HeldLock held = held_locks_[list];
  if (order_[held.taken].object == object) return held.others;
  const std::uint32_t rest = Without(object, held.others);
  return rest == held.others ? list : Hold(held.taken, rest);
}

// The event that took `lock`, which the thread of `step` holds just before it, for the first time;
// kNone: it does not.
RunOrder::Step BacktrackSearch::TookHeld(Step step, ObjectId lock) const {
  Step took = RunOrder::kNone;
  for (std::uint32_t at = holds_[step]; at != kHoldsNone; at = held_locks_[at].others) {
    if (order_[held_locks_[at].taken].object == lock) took = held_locks_[at].taken;
  }
  return took;
}

// The last event before `end` with which `thread` took `lock`.
RunOrder::Step BacktrackSearch::LastTaking(ThreadId thread, ObjectId lock, Step end) const {
  const auto behind = std::lower_bound(takings_.begin(), takings_.end(), Taking{thread, lock, end});
  if (behind == takings_.begin()) return RunOrder::kNone;
  const Taking& last = *(behind - 1);
  return last.thread == thread && last.lock == lock ? last.step : RunOrder::kNone;
}

}  // namespace heddle
