// Whom signals reach, and who comes before them: what threads that wait for one condition have to
// do with each other. With two kinds of waiter and a signal for one of them, the wrong one may be
// woken; that both kinds wait at a time often takes somebody who overtakes a waiter on its way back
// to the lock.
#include <bit>

#include "base/hash.h"
#include "strategy/backtrack.h"
#include "trace/held_locks.h"

namespace heddle {
namespace {

constexpr std::uint64_t Bit(std::size_t index) { return std::uint64_t{1} << index; }

// Somebody takes the lock (`before`) when the waiter has been woken and has not got it yet. That a
// waiter takes the lock behind who has woken it is no news: it was never to be otherwise.
HapPair OvertakingOf(HapPair pair) {
  pair.statement.kind = OpKind::kWake;
  return pair;
}

}  // namespace

void BacktrackSearch::CollectWaits() {
  waits_.clear();
  for (Step e = 0; e < order_.events(); ++e) {
    if (order_[e].kind == OpKind::kWait && !order_[e].failed()) waits_.push_back(e);
  }
}

// The lock was taken at `s` and may be by `t` instead, as has been seen elsewhere (`pair`). It has
// not if `s` is a waiter on its way back, if nobody has had the lock before (who comes first may
// have nothing to do yet, and wait), or if somebody waits at whom `t` never came by.
void BacktrackSearch::ConsiderWaiters(Step s, Step t, const HapPair& pair, const RunTrace& trace) {
  const Index index = node_of_event_[s];
  if (index == kNoNode || waits_.empty() || !IsOfLock(order_[s].kind)) return;
  const HapPair overtaking = OvertakingOf(pair);
  if (order_[s].waker != RunOrder::kNone && !state_.woken.Has(overtaking)) {
    AddGoals(index, WaysTo(s, t), overtaking, Risk::kWaiters);
  }
  const HapPair coming_first = {.statement = pair.before, .before = {}};
  if (order_[s].before[0] == RunOrder::kNone && !state_.woken.Has(coming_first)) {
    AddGoals(index, WaysTo(s, t), coming_first, Risk::kWaiters);
  }
  for (const Step wait : waits_) {
    if (wait >= s) return;
    const bool waits_there = order_[wait].second == order_[t].object &&
                             order_[wait].thread != order_[t].thread && next_[wait] > s;
    if (!waits_there) continue;
    const HapPair meeting = PairOf(t, wait, trace);
    if (!state_.hapsets.Has(meeting)) AddGoals(index, WaysTo(s, t), meeting, Risk::kWaiters);
  }
}

void BacktrackSearch::LearnOvertaking(Step e, Step s, const HapPair& pair) {
  if (order_[e].waker == RunOrder::kNone || !IsOfLock(order_[e].kind)) return;
  if (!order_.PrecedesStart(s, e)) state_.woken.Add(OvertakingOf(pair));
}

void BacktrackSearch::LearnFirst(Step e, const RunTrace& trace) {
  if (!IsOfLock(order_[e].kind) || order_[e].before[0] != RunOrder::kNone) return;
  state_.woken.Add({.statement = StatementOf(e, trace), .before = {}});
}

// Whom a signal reaches is no race; an alternative counts as new by the statement at which the
// waiter waits, and whether it is the first of the waiters. In the end by which thread it is:
// threads that wait at one statement may wait for different things.
void BacktrackSearch::LearnWoken(const RunTrace& trace) {
  last_of_thread_.assign(order_.threads(), RunOrder::kNone);
  std::size_t e = 0;
  for (std::size_t i = 0; i < trace.decisions.size(); ++i) {
    const DecisionRecord& decision = trace.decisions[i];
    for (; e < order_.events() && e < decision.event; ++e) {
      last_of_thread_[order_[static_cast<Step>(e)].thread] = static_cast<Step>(e);
    }
    if (decision.kind == DecisionKind::kThread || decision.event == 0) continue;
    const HapStatement signal = StatementOf(decision.event - 1, trace);
    const bool names_threads = std::popcount(decision.among) == decision.options;
    std::uint64_t left = decision.among;
    for (std::uint16_t option = 0; option < decision.options; ++option, left &= left - 1) {
      HapStatement waiter{.site = option, .kind = OpKind::kWake};
      const auto thread = static_cast<ThreadId>(std::countr_zero(left));
      if (names_threads && thread < last_of_thread_.size() &&
          last_of_thread_[thread] != RunOrder::kNone) {
        waiter = StatementOf(last_of_thread_[thread], trace);
        waiter.kind = OpKind::kWake;
      }
      const HapPair pair{signal, waiter, option != 0};
      HapPair of_thread = pair;
      if (names_threads) {
        of_thread.before.context ^= static_cast<std::uint32_t>(Mix(1, order_.RankOf(thread)));
      }
      if (option == decision.chosen) {
        if (trace.record.outcome != RunOutcome::kExited) continue;
        state_.woken.Add(pair);
        state_.woken.Add(of_thread);
      } else if (i < path_.size() && option < kMostOptions) {
        if (!state_.woken.Has(pair)) AddGoals(path_[i], Bit(option), pair, Risk::kSeen);
        if (!state_.woken.Has(of_thread)) {
          AddGoals(path_[i], Bit(option), of_thread, Risk::kWaiters);
        }
      }
    }
  }
}

}  // namespace heddle
