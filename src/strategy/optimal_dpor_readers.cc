// Where readers share a lock that a writer waits for.
//
// The writer x, in its turn at P, may be kept out by any of the readers that take the lock before
// it: they commute, so which of them came first says nothing. One stands for all: of those that
// none of the others happens before, the one of the last thread, d. S is what d needs, and d. A
// reader of a later thread that could have stood for them does not get in as long as no writer
// has: that class belongs to the S of that reader. The rule holds all readers back from where a
// writer waits, so such a one gets in only where nothing else can go on. From there on the run is
// one that the other S has too: it is searched for what does not need that reader, and nothing
// else. (So a class comes twice where readers wait for each other inside; to know before the run
// that they do takes knowing what has not been run.)
//
// A reader x in its turn that comes behind a writer does so with any of the other readers before
// the writer, and each such set is another class. The run in which most of them come before it is
// found by a race; those with fewer are made from it by leaving out one after the other, the last
// first. A reader needs what it happens behind, and the writer those inside to have left.
#include <algorithm>
#include <bit>

#include "strategy/optimal_dpor.h"

namespace heddle {
namespace {

bool TakesToRead(const RunOrder::StepInfo& step) {
  return (step.kind == OpKind::kReadLock || step.kind == OpKind::kTryReadLock) &&
         (step.flags & (Event::kFailed | Event::kTimedOut)) == 0;
}

bool Contains(const std::vector<RunOrder::Step>& steps, RunOrder::Step step) {
  return std::find(steps.begin(), steps.end(), step) != steps.end();
}

}  // namespace

// Whether `reader`, just before `at`, would keep a writer out for which another one stands that is
// of an earlier thread.
bool OptimalDporSearch::IsShutOut(Step reader, Step at) const {
  const ObjectId object = order_[reader].object;
  for (Step c = order_[reader].before[0]; c != RunOrder::kNone;
       c = order_[c].before[order_[c].object == object ? 0 : 1]) {
    if (c >= at) continue;
    if (order_[c].object != object || order_[c].access() != AccessMode::kReading) return false;
    if (!TakesToRead(order_[c])) continue;
    if (order_.PrecedesStart(c, reader)) return false;
    const bool stands_for_all = roles_[c] == Role::kLast;
    if (stands_for_all && order_.RankOf(order_[reader].thread) > order_.RankOf(order_[c].thread)) {
      return true;
    }
  }
  return false;
}

// Nobody could go on instead of `event` but readers that are shut out, too.
bool OptimalDporSearch::CanOnlyRepeat(Step event, const RunTrace& trace) const {
  const auto decision =
      std::lower_bound(trace.decisions.begin(), trace.decisions.end(), event,
                       [](const DecisionRecord& record, Step step) { return record.event < step; });
  for (auto d = decision; d != trace.decisions.end() && d->event == event; ++d) {
    if (d->kind != DecisionKind::kThread) continue;
    if (std::popcount(d->among) != d->options) return false;  // a thread twice, or beyond the set
    for (std::uint64_t left = d->among; left != 0; left &= left - 1) {
      const auto thread = static_cast<ThreadId>(std::countr_zero(left));
      Step next = event;
      while (next < order_.events() && order_[next].thread != thread) ++next;
      if (next == order_.events()) next += thread;
      const OpKind kind = order_[next].kind;
      if (kind != OpKind::kReadLock && kind != OpKind::kTryReadLock) return false;
      if (!IsShutOut(next, event)) return false;
    }
  }
  return true;
}

void OptimalDporSearch::FindRepetition(const RunTrace& trace) {
  repeats_from_ = RunOrder::kNone;
  const bool keeps_out = std::any_of(odd_.begin(), odd_.end(), [this](Step i) {
    return roles_[i] == Role::kLast && TakesToRead(order_[i]);
  });
  if (!keeps_out) return;
  for (Step i = odd_.back() + 1; i < order_.events(); ++i) {
    if (roles_[i] != Role::kTurn || !TakesToRead(order_[i]) || !IsShutOut(i, i)) continue;
    if (!CanOnlyRepeat(i, trace)) continue;
    repeats_from_ = i;
    return;
  }
}

bool OptimalDporSearch::ComesAlong(Step k) const {
  return order_.PrecedesStart(k, sharing_.writer) ||
         std::any_of(sharing_.along.begin(), sharing_.along.end(),
                     [&](Step u) { return k == u || order_.HappensBefore(k, u); });
}

bool OptimalDporSearch::LetsWriterIn() const {
  int inside = sharing_.inside;
  for (Step k = sharing_.at; k < std::min(sharing_.writer, order_.events()); ++k) {
    if (order_[k].object != order_[sharing_.writer].object || !ComesAlong(k)) continue;
    if (TakesToRead(order_[k])) ++inside;
    if (order_[k].kind == OpKind::kReadUnlock) --inside;
  }
  return inside == 0;
}

bool OptimalDporSearch::HasAllKept() const {
  return std::all_of(sharing_.kept.begin(), sharing_.kept.end(),
                     [this](Step k) { return ComesAlong(k); });
}

// A run in which the writer comes behind those along; those from `may_leave` on may be left out.
void OptimalDporSearch::AddSharing(std::size_t may_leave, const RunTrace& trace) {
  const Step writer = sharing_.writer;
  needed_.clear();
  for (Step k = sharing_.at; k < std::min(writer, order_.events()); ++k) {
    if (order_[k].is_point && ComesAlong(k)) needed_.push_back(k);
  }
  Work* const work = WorkUpTo(sharing_.at, trace);
  AppendRoad(writer, trace, &work->road);
  work->road.then_path = sharing_.then.then_path;
  work->road.then_kind = sharing_.then.then_kind;
  work->road.then_key = sharing_.then.then_key;
  for (const Step k : needed_) {
    const auto at = std::find(sharing_.leaving.begin(), sharing_.leaving.end(), k);
    const auto index = static_cast<std::size_t>(at - sharing_.leaving.begin());
    const bool leaves = at != sharing_.leaving.end() && index >= may_leave;
    const bool is_kept = Contains(sharing_.kept, k);
    work->shares.push_back(is_kept ? Share::kKept : leaves ? Share::kMayLeave : Share::kFree);
  }
}

// Leaves out each of those from `from` on, alone and with others behind it.
void OptimalDporSearch::LeaveOut(std::size_t from, const RunTrace& trace) {
  for (std::size_t i = from; i < sharing_.leaving.size(); ++i) {
    const Step left = sharing_.leaving[i];
    std::erase(sharing_.along, left);
    if (!ComesAlong(left) && HasAllKept()) {
      if (LetsWriterIn()) {
        AddSharing(i + 1, trace);
      } else {
        LeaveOut(i + 1, trace);
      }
    }
    sharing_.along.push_back(left);
  }
}

// The writer `e` comes before the reader `x`, with all others that can.
void OptimalDporSearch::TryWriterBefore(Step x, Step e, const RunTrace& trace) {
  if (x >= repeats_from_) return;
  for (std::size_t i = odd_outcome_.size(); i-- > 0 && odd_outcome_[i] >= x;) {
    if (odd_outcome_[i] == x || odd_outcome_[i] == e) return;
  }
  sharing_.at = x;
  sharing_.inside = order_[x].lock.readers;
  sharing_.writer = e;
  sharing_.leaving.clear();
  for (const Step u : leaving_) {
    if (order_.HappensBefore(x, u) || order_.PrecedesStart(u, e)) continue;
    if (repeats_from_ != RunOrder::kNone && order_.HappensBefore(repeats_from_, u)) continue;
    sharing_.leaving.push_back(u);
  }
  sharing_.along = sharing_.leaving;
  // Only the run in which all else behind x follows the rule is responsible.
  sharing_.kept.clear();
  for (std::size_t i = odd_.size(); i-- > 0 && odd_[i] > x;) sharing_.kept.push_back(odd_[i]);
  if (!HasAllKept()) return;
  if (repeats_from_ != RunOrder::kNone && order_.PrecedesStart(repeats_from_, e)) return;
  SetThen(x, trace, &sharing_.then);
  if (LetsWriterIn()) {
    AddSharing(0, trace);
  } else {
    LeaveOut(0, trace);
  }
}

void OptimalDporSearch::LeaveOutReaders(const Work& work, const RunTrace& trace) {
  if (work.shares.empty()) return;
  sharing_.at = static_cast<Step>(work.roles.size());
  sharing_.leaving.clear();
  sharing_.along.clear();
  sharing_.kept.clear();
  std::vector<Step> road;
  for (Step i = sharing_.at; road.size() <= work.shares.size(); ++i) {
    if (order_[i].is_point) road.push_back(i);
  }
  const Step writer = sharing_.writer = road.back();
  sharing_.inside = 0;
  for (Step i = writer; i != RunOrder::kNone && i >= sharing_.at; i = order_[i].before[0]) {
    sharing_.inside = order_[i].lock.readers;
  }
  for (std::size_t i = work.shares.size(); i-- > 0;) {
    const bool leaves = order_[road[i]].kind == OpKind::kReadUnlock &&
                        order_[road[i]].object == order_[writer].object &&
                        !order_.PrecedesStart(road[i], writer);
    if (leaves) sharing_.along.push_back(road[i]);
    if (work.shares[i] == Share::kMayLeave) sharing_.leaving.push_back(road[i]);
    if (work.shares[i] == Share::kKept) sharing_.kept.push_back(road[i]);
  }
  sharing_.then = Road();
  sharing_.then.then_path = work.road.then_path;
  sharing_.then.then_kind = work.road.then_kind;
  sharing_.then.then_key = work.road.then_key;
  LeaveOut(0, trace);
}

}  // namespace heddle
