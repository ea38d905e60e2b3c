// Guidance by HaPSets: rings of locks.
//
// A thread that takes a lock while it holds another one leads from one lock to the other. Where
// several threads lead round a ring it is a deadlock if all hold their first lock before any takes
// its second. Of three and more no order of two statements shows that, in the paper neither; and
// where threads run the same code, each order has been seen between two others of them. So in each
// run the thread of a ring that takes its second lock first is turned aside there, for one that
// does not hold its first lock yet: run by run one more of them stands. A ring is known by its
// statements, and given up after some tries.
#include <algorithm>

#include "base/hash.h"
#include "strategy/backtrack.h"
#include "trace/held_locks.h"

namespace heddle {
namespace {

constexpr std::uint64_t Bit(std::size_t index) { return std::uint64_t{1} << index; }

constexpr std::size_t kShortest = 2;
constexpr std::size_t kLongest = 6;
// Of one run; more are a program whose rings nobody can count.
constexpr std::size_t kMostNestings = 256;
constexpr int kMostSteps = 10'000;

}  // namespace

void BacktrackSearch::LearnRings(const RunTrace& trace) {
  if (path_.empty()) return;
  CollectNestings();
  if (nestings_.size() < kShortest) return;
  ring_steps_ = 0;
  for (std::size_t first = 0; first < nestings_.size(); ++first) {
    ring_.assign(1, first);
    CloseRing(trace);
  }
}

// Each thread's first of every two locks, in the order of the second ones.
void BacktrackSearch::CollectNestings() {
  nestings_.clear();
  for (Step e = 0; e < order_.events() && nestings_.size() < kMostNestings; ++e) {
    if (held_[e] == 0 || order_[e].thread >= 64 || !order_[e].is_point || order_[e].failed() ||
        !WaitsFor(order_[e].kind, OpKind::kLock)) {
      continue;
    }
    for (std::uint32_t at = holds_[e]; at != kHoldsNone; at = held_locks_[at].others) {
      const Step outer = held_locks_[at].taken;
      const bool is_known =
          std::any_of(nestings_.begin(), nestings_.end(), [&](const Nesting& nesting) {
            return order_[nesting.inner].thread == order_[e].thread &&
                   order_[nesting.inner].object == order_[e].object &&
                   order_[nesting.outer].object == order_[outer].object;
          });
      if (!is_known) nestings_.push_back({.outer = outer, .inner = e});
    }
  }
}

// Goes on from the nestings in ring_, the first of which is the first of its ring.
void BacktrackSearch::CloseRing(const RunTrace& trace) {
  const Nesting last = nestings_[ring_.back()];
  const Nesting first = nestings_[ring_.front()];
  if (ring_.size() >= kShortest && WaitsAt(last, first)) TurnAside(trace);
  if (ring_.size() == kLongest) return;
  for (std::size_t next = ring_.front() + 1; next < nestings_.size(); ++next) {
    if (++ring_steps_ > kMostSteps) return;
    if (!WaitsAt(last, nestings_[next])) continue;
    const bool fits = std::none_of(ring_.begin(), ring_.end(), [&](std::size_t other) {
      return order_[nestings_[other].inner].thread == order_[nestings_[next].inner].thread ||
             HaveCommonLock(nestings_[other].inner, nestings_[next].inner);
    });
    if (!fits) continue;
    ring_.push_back(next);
    CloseRing(trace);
    ring_.pop_back();
  }
}

// Whether the second lock of `one` is the first one of `other`.
bool BacktrackSearch::WaitsAt(const Nesting& one, const Nesting& other) const {
  return order_[one.inner].object == order_[other.outer].object &&
         WaitsFor(order_[one.inner].kind, order_[other.outer].kind);
}

// A lock that both threads hold keeps them apart.
bool BacktrackSearch::HaveCommonLock(Step a, Step b) const {
  for (std::uint32_t at = holds_[a]; at != kHoldsNone; at = held_locks_[at].others) {
    if (TookHeld(b, order_[held_locks_[at].taken].object) != RunOrder::kNone) return true;
  }
  return false;
}

void BacktrackSearch::TurnAside(const RunTrace& trace) {
  const Step stands = nestings_[ring_.front()].inner;
  std::uint64_t statements = ring_.size();
  const Nesting* goes_on = nullptr;
  for (const std::size_t member : ring_) {
    const Nesting& nesting = nestings_[member];
    const HapStatement inner = StatementOf(nesting.inner, trace);
    statements += Mix(inner.site, inner.context);  // in any order
    if (nesting.outer < stands) continue;          // it stands, too
    const bool is_hidden = order_.PrecedesStart(stands, nesting.outer);
    if (goes_on == nullptr || (!is_hidden && order_.PrecedesStart(stands, goes_on->outer))) {
      goes_on = &nesting;
    }
  }
  if (goes_on == nullptr) return;
  // What those who stand hold by then may bar its way to its first lock.
  Step barrier = RunOrder::kNone;
  for (const std::size_t member : ring_) {
    const Nesting& nesting = nestings_[member];
    if (nesting.outer > stands) continue;
    barrier = std::min(barrier, LockBetween(nesting.inner, goes_on->outer, stands));
  }
  const Index index = node_of_event_[std::min(stands, barrier)];
  if (index == kNoNode) return;
  const std::uint64_t thread = Bit(order_[goes_on->outer].thread);
  HapStatement ring{.site = statements, .kind = OpKind::kLock};
  AddGoals(index, OptionsOfThreads(state_.nodes[index], thread), {ring, ring, false}, Risk::kRing);
}

}  // namespace heddle
