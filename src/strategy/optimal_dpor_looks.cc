// Looks at several channels (poll, select), which wait until one of them is ready.
//
// A look e that waits can be kept from running by an event x on one of its channels only if that
// channel was ready before x. Whether e runs before x all the same depends on what has happened to
// the others by then: e behind S K comes before x, K being any set of events that do not need x.
// Where e is not kept from running behind S x K, that is a race like any other: e was carried out
// with K in its past. Where it is, no run shows K and e together, so all K are made from the run
// that shows them: in each the other channels have got so far, and none of them is ready. (Were
// there one channel, K would be what e's thread needs to come to e.)
//
// A look x in its turn may be kept from running by some of S together. Unlike with a lock it may
// then be let go on again by others of S: then S has two forms, the block of those that kept it
// back, without x, and the whole of it, with x. The first is the one that counts. Of all parts of S
// that keep it back one is the smallest: a channel's events have one order, and of two such parts
// what they have in common keeps it back, too.
//
// epoll_wait is a look, too, at what its set would tell of each descriptor, and may take from that.
//
// What asks about others than channels (a poll, also that of epoll) is on all descriptors, and
// nobody knows what it finds ready. It is tried out, with what it had in its past and without.
// Where something was taken from a channel that may not be all: then the search is not complete.
#include <algorithm>

#include "strategy/optimal_dpor.h"
#include "trace/channel_use.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostCuts = 10'000;  // of one look; there may be more

std::uint8_t LeftAt(const RunOrder& order, RunOrder::Step y, ObjectId channel) {
  return order.NotedOf(y, channel, order[y].left);
}
// What was there before it: as it noted, or as those left it that came before.
std::uint8_t FoundAt(const RunOrder& order, RunOrder::Step y, ObjectId channel) {
  const std::uint8_t noted = order.NotedOf(y, channel, order[y].found);
  if (noted != 0 || !order[y].is_on_list) return noted;
  do {
    y = order.LinkOn(y, channel).before;
  } while (y != RunOrder::kNone && !order.Changes(y, channel));
  return y == RunOrder::kNone ? order.NotedAtFirst(channel) : LeftAt(order, y, channel);
}

}  // namespace

// What can be done at the channel behind all that happens before `e`, but for `x` and what that
// happens before.
std::uint8_t OptimalDporSearch::NotedWithout(ObjectId channel, Step e, Step x) const {
  std::uint8_t found = 0;
  for (Step y = order_.LinkOn(e, channel).before; y != RunOrder::kNone;
       y = order_.LinkOn(y, channel).before) {
    if (!order_.Changes(y, channel)) continue;
    if (y != x && !order_.HappensBefore(x, y)) return LeftAt(order_, y, channel) | found;
    found = FoundAt(order_, y, channel);
  }
  return found | order_.NotedAtFirst(channel);
}

// Whether a look is, or may be, ready without `x`.
bool OptimalDporSearch::FindsReadyWithout(Step look, Step x) {
  order_.ChannelsOf(look, &channels_);
  return std::any_of(channels_.begin(), channels_.end(), [&](const RunOrder::Channel& channel) {
    return ReadinessFor(channel.asked, NotedWithout(channel.object, look, x)) != Readiness::kWaits;
  });
}

// Races with events that took what the look waits for, however long ago.
void OptimalDporSearch::TryBlockedLook(Step look, const RunTrace& trace) {
  order_.ChannelsOf(look, &members_);
  reached_.assign(members_.size(), RunOrder::kNone);
  cuts_tried_ = 0;
  takers_.clear();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const auto [channel, asked] = members_[m];
    for (Step x = order_.LinkOn(look, channel).before; x != RunOrder::kNone;
         x = order_.LinkOn(x, channel).before) {
      if (!order_.Changes(x, channel)) continue;
      if (order_[x].thread == order_[look].thread || order_.PrecedesStart(x, look)) break;
      if (roles_[x] != Role::kTurn) continue;
      if (ReadinessFor(asked, FoundAt(order_, x, channel)) != Readiness::kWaits &&
          ReadinessFor(asked, LeftAt(order_, x, channel)) != Readiness::kReady) {
        if (std::find(takers_.begin(), takers_.end(), x) != takers_.end()) continue;
        takers_.push_back(x);  // it may have taken from several
        TryCuts(x, look, 0, trace);
      }
    }
  }
  if (cuts_tried_ > kMostCuts) ++state_.lost;
}

bool OptimalDporSearch::IsNeededForCuts(Step k) const {
  return std::any_of(cuts_.begin(), cuts_.end(),
                     [&](Step cut) { return k == cut || order_.HappensBefore(k, cut); });
}

// Whether what is needed for some channels leaves the others where they are.
bool OptimalDporSearch::AreCutsClosed(Step x, Step look) const {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const ObjectId channel = members_[m].object;
    Step y = order_.LinkOn(look, channel).before;
    for (; y != RunOrder::kNone && y != reached_[m]; y = order_.LinkOn(y, channel).before) {
      if (!order_.Changes(y, channel) || y == x || order_.HappensBefore(x, y)) continue;
      if (IsNeededForCuts(y)) return false;
    }
  }
  return true;
}

// All K: for each channel from this one on, how far it has got, but for that of `x`.
void OptimalDporSearch::TryCuts(Step x, Step look, std::size_t member, const RunTrace& trace) {
  if (member == members_.size()) {
    if (++cuts_tried_ > kMostCuts || !AreCutsClosed(x, look)) return;
    Step end = order_[look].start_end;
    for (const Step cut : cuts_) end = std::max(end, cut + 1);
    return TryReversal(x, look, Seen::kBlocked, end, trace);
  }
  const auto [channel, asked] = members_[member];
  // From the last event on it back to what is there in any case.
  Step y = order_.LinkOn(look, channel).before;
  for (; y != RunOrder::kNone; y = order_.LinkOn(y, channel).before) {
    if (!order_.Changes(y, channel) || y == x || order_.HappensBefore(x, y)) continue;
    if (y < x || order_.PrecedesStart(y, look)) break;
    if (ReadinessFor(asked, LeftAt(order_, y, channel)) == Readiness::kReady) continue;
    reached_[member] = y;
    cuts_.push_back(y);
    TryCuts(x, look, member + 1, trace);
    cuts_.pop_back();
  }
  reached_[member] = y;
  const bool is_of_x = order_.Touches(x, channel) && order_.Changes(x, channel);
  const std::uint8_t noted = is_of_x                ? LeftAt(order_, x, channel)
                             : y != RunOrder::kNone ? LeftAt(order_, y, channel)
                                                    : order_.NotedAtFirst(channel);
  if (ReadinessFor(asked, noted) != Readiness::kReady) TryCuts(x, look, member + 1, trace);
}

// Whether it may have taken what a poll waits for.
bool OptimalDporSearch::MayHideFromPolls(Step x) const {
  const RunOrder::StepInfo& info = order_[x];
  const bool takes = info.kind == OpKind::kSend || info.kind == OpKind::kReceive;
  return takes && info.is_on_channel && ReadinessOf(info.kind, info.left) != Readiness::kReady;
}

// The same reversal may be seen in both ways.
bool OptimalDporSearch::IsFirstPoll(Step x) {
  for (const Polled& one : polled_) {
    if (one.x == x && one.needed == needed_) return false;
  }
  polled_.push_back({x, needed_});
  return true;
}

// Whether part of S K e, without the rest, keeps the look from running, S being what came early
// before it and K what `e` needs.
bool OptimalDporSearch::IsKeptFromBefore(Step look, Step e) {
  const RunOrder::StepInfo& info = order_[look];
  const bool waits = IsLook(info.kind) && info.is_on_channel &&
                     (info.found & channel_use::kWaits) != 0 &&
                     (info.flags & Event::kMayTimeOut) == 0;
  if (!waits || !order_[e].is_on_channel || order_[e].kind == OpKind::kLook) return false;
  early_.clear();
  for (Step y = look; y-- > 0 && (roles_[y] == Role::kAside || roles_[y] == Role::kEarly);) {
    if (roles_[y] == Role::kEarly) early_.push_back(y);
  }
  if (early_.empty()) return false;  // nothing is left over
  // What one takes from a set depends on what the other one left.
  if (info.kind == OpKind::kEpollWait && order_[e].kind == OpKind::kEpollWait) return false;
  std::reverse(early_.begin(), early_.end());
  is_part_.assign(early_.size(), false);
  const auto add = [&](std::size_t last) {
    for (std::size_t i = 0; i <= last; ++i) {
      is_part_[i] = is_part_[i] || i == last || order_.HappensBefore(early_[i], early_[last]);
    }
  };
  for (std::size_t i = 0; i < early_.size(); ++i) {
    const bool is_needed = order_.PrecedesStart(early_[i], e) || order_.WouldDepend(early_[i], e) ||
                           std::any_of(needed_.begin(), needed_.end(),
                                       [&](Step k) { return order_.HappensBefore(early_[i], k); });
    if (is_needed) add(i);
  }
  order_.ChannelsOf(e, &channels_);
  order_.ChannelsOf(look, &looked_);
  for (std::size_t m = 0; m < looked_.size();) {
    const ObjectId channel = looked_[m].object;
    const std::uint8_t asked = looked_[m].asked;
    const bool is_of_e = std::any_of(channels_.begin(), channels_.end(), [&](const auto& one) {
      return one.object == channel && order_.Changes(e, channel);
    });
    // What it took from a set it may leave there without the look: where there is something left.
    const bool is_other = is_of_e && order_.Changes(look, channel) &&
                          order_[e].kind == OpKind::kReceive &&
                          ReadinessOf(OpKind::kReceive, order_[e].left) != Readiness::kWaits;
    if (is_other) return false;
    // What can be done behind the part, and the first event that then leaves nothing to be done.
    std::uint8_t noted = is_of_e ? LeftAt(order_, e, channel) : NotedBeforeEarly(look, channel);
    std::size_t next = early_.size();
    for (std::size_t i = 0; i < early_.size() && !is_of_e; ++i) {
      if (!order_.Touches(early_[i], channel) || !order_.Changes(early_[i], channel)) continue;
      const std::uint8_t left = LeftAt(order_, early_[i], channel);
      if (is_part_[i]) {
        noted = left;
        next = early_.size();
      } else if (next == early_.size() && ReadinessFor(asked, left) == Readiness::kWaits) {
        next = i;
      }
    }
    if (ReadinessFor(asked, noted) == Readiness::kWaits) {
      ++m;
    } else if (next != early_.size()) {
      add(next);
      m = 0;
    } else {
      return false;
    }
  }
  return std::find(is_part_.begin(), is_part_.end(), false) != is_part_.end();
}

// What can be done at a channel of the look before all that came early.
std::uint8_t OptimalDporSearch::NotedBeforeEarly(Step look, ObjectId channel) const {
  Step y = order_.LinkOn(look, channel).before;
  const Step first = early_.front();
  while (y != RunOrder::kNone && (y >= first || !order_.Changes(y, channel))) {
    y = order_.LinkOn(y, channel).before;
  }
  return y != RunOrder::kNone ? LeftAt(order_, y, channel) : order_.NotedAtFirst(channel);
}

}  // namespace heddle
