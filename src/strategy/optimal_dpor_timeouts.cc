// What optimal-dpor does about waits that were woken and might have timed out instead: of such a
// time-out a run shows nothing but that it was possible.
//
// It comes before the event x that woke the waiter. Where others read the clock (Rule::kClock),
// some of their reads may come before it, too, and each choice of them is another class: S K e in
// the terms of optimal_dpor.h, where K is the reads chosen and what they need.
#include <algorithm>

#include "strategy/optimal_dpor.h"

namespace heddle {
namespace {

// Choices of clock reads before one time-out that are tried. Where there are more a run would leave
// work without bound, and the search does not claim to be complete.
constexpr std::size_t kMostSets = 1024;

}  // namespace

// Whether the time-out is the one of S K e that is added last; K is what is needed.
bool OptimalDporSearch::IsLastTimeout(Step e) const {
  const Step x = order_[e].waker, wait = order_[e].previous;
  const std::uint32_t rank = order_.RankOf(order_[e].thread);
  for (Step y = x; y-- > 0 && (roles_[y] == Role::kAside || roles_[y] == Role::kEarly);) {
    if (roles_[y] == Role::kAside || order_.RankOf(order_[y].thread) <= rank) continue;
    const bool is_before_timeout =
        y == wait || order_.HappensBefore(y, wait) || order_[y].kind == OpKind::kTime ||
        (order_[y].object == order_[x].object && AccessOf(order_[y].kind) == AccessMode::kAlone);
    if (is_before_timeout) continue;
    bool is_followed = std::any_of(needed_.begin(), needed_.end(),
                                   [&](Step k) { return order_.HappensBefore(y, k); });
    for (Step z = y + 1; z < x && !is_followed; ++z) {
      is_followed = roles_[z] == Role::kEarly && order_.HappensBefore(y, z);
    }
    if (!is_followed) return false;
  }
  return true;
}

void OptimalDporSearch::AddTimeout(Step e, const RunTrace& trace) {
  const Step x = order_[e].waker;
  if (!IsLastTimeout(e)) return;
  Work* const work = WorkUpTo(x, trace);
  AppendRoad(e, trace, &work->road);
  SetThen(x, trace, &work->road);
}

// A timed wait that `e` follows because it was woken might have timed out instead, before it was.
void OptimalDporSearch::TryTimeout(Step e, const RunTrace& trace) {
  const Step x = order_[e].waker, wait = order_[e].previous;
  if (wait == RunOrder::kNone) return;
  if ((order_[wait].flags & Event::kMayTimeOut) == 0 || roles_[x] != Role::kTurn) return;
  if (x >= repeats_from_ || (!odd_.empty() && odd_.back() >= x)) return;
  needed_.clear();  // the wait itself lies before x
  AddTimeout(e, trace);
}

// ... and somebody might have read the clock before that.
void OptimalDporSearch::TryTimeoutsBehindReads(const RunTrace& trace) {
  for (Step e = 0; e < order_.events(); ++e) {
    if (order_[e].waker != RunOrder::kNone) TryTimeoutBehindReads(e, trace);
  }
  for (const ThreadId thread : order_.Pending()) {
    const Step e = order_.events() + thread;
    if (order_[e].waker != RunOrder::kNone) TryTimeoutBehindReads(e, trace);
  }
}

void OptimalDporSearch::TryTimeoutBehindReads(Step e, const RunTrace& trace) {
  const Step x = order_[e].waker, wait = order_[e].previous;
  if (wait == RunOrder::kNone || x >= repeats_from_) return;
  if ((order_[wait].flags & Event::kMayTimeOut) == 0 || roles_[x] != Role::kTurn) return;
  std::vector<Step> reads;
  for (const Step read : order_.clock_reads()) {
    if (read >= order_.events()) break;
    const bool is_free =
        read > x && order_[read].kind == OpKind::kTime && !order_.HappensBefore(x, read);
    if (is_free) reads.push_back(read);
  }
  if (reads.empty()) return;
  // All sets of them that hold what happens before what they hold. Each read is chosen or left out,
  // and with what is left out all that happens behind it. There are as many sets as prefixes at
  // least, and where threads read side by side they double with each.
  std::vector<Step> with;
  std::vector<std::uint32_t> barred(reads.size(), 0);  // by how many that were left out
  std::size_t sets = 0;
  const auto choose = [&](const auto& self, std::size_t from) -> void {
    while (from < reads.size() && barred[from] > 0) ++from;
    if (from == reads.size()) {
      if (++sets <= kMostSets && !with.empty()) TryTimeoutBehind(with, e, trace);
      return;
    }
    const auto bar = [&](std::uint32_t change) {
      for (std::size_t i = from + 1; i < reads.size(); ++i) {
        if (order_.HappensBefore(reads[from], reads[i])) barred[i] += change;
      }
    };
    bar(1);
    self(self, from + 1);
    bar(-1u);
    if (sets > kMostSets) return;
    with.push_back(reads[from]);
    self(self, from + 1);
    with.pop_back();
  };
  if (reads.size() <= kMostSets) choose(choose, 0);
  if (reads.size() > kMostSets || sets > kMostSets) ++state_.lost;
}

void OptimalDporSearch::TryTimeoutBehind(const std::vector<Step>& reads, Step e,
                                         const RunTrace& trace) {
  const Step x = order_[e].waker;
  const auto is_needed = [&](Step k) {
    return std::any_of(reads.begin(), reads.end(),
                       [&](Step read) { return k == read || order_.HappensBefore(k, read); });
  };
  if (repeats_from_ != RunOrder::kNone && is_needed(repeats_from_)) return;
  // Only the run in which all but K follows the rule behind x is responsible.
  for (std::size_t i = odd_.size(); i-- > 0 && odd_[i] >= x;) {
    if (odd_[i] == x || !is_needed(odd_[i])) return;
  }
  needed_.clear();
  for (Step k = x + 1; k <= reads.back(); ++k) {
    if (order_[k].is_point && is_needed(k)) needed_.push_back(k);
  }
  AddTimeout(e, trace);
}

}  // namespace heddle
