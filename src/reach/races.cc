#include "reach/races.h"

namespace heddle::reach {
namespace {

// Condition 4: what must be received before `send` was received before `receive`. `earlier` are the
// sends to the same owner that were made before `send`.
bool KeepsOrder(const Sequence& sequence, const Send& send, const Receive& receive,
                std::span<const Index> earlier) {
  if (send.order == Order::kNone) return true;
  for (const Index id : earlier) {
    const Send& other = sequence.sends()[id];
    if (other.object != send.object) continue;
    if (send.order == Order::kPerSender && other.thread != send.thread) continue;
    if (other.partner == kNone || sequence.receives()[other.partner].number >= receive.number) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::vector<Index>> RaceSets(const Sequence& sequence) {
  std::vector<std::vector<Index>> sends_to(sequence.shape().owners);
  for (Index send = 0; send < sequence.sends().size(); ++send) {
    const Index owner = sequence.sends()[send].owner;
    if (owner != kNone) sends_to[owner].push_back(send);
  }
  std::vector<std::vector<Index>> races(sequence.receives().size());
  for (Index r = 0; r < races.size(); ++r) {
    const Receive& receive = sequence.receives()[r];
    const std::span<const Index> candidates = sends_to[receive.owner];
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Send& send = sequence.sends()[candidates[i]];
      if (send.partner == r) continue;
      if (send.partner != kNone && sequence.receives()[send.partner].number < receive.number) {
        continue;
      }
      if (!sequence.IsOpenAt(send, receive) || sequence.PrecedesSend(r, candidates[i])) continue;
      if (!KeepsOrder(sequence, send, receive, candidates.first(i))) continue;
      races[r].push_back(candidates[i]);
    }
  }
  return races;
}

}  // namespace heddle::reach
