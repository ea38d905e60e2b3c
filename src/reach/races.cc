#include "reach/races.h"

namespace heddle::reach {

void Races::Begin(const Sequence* sequence) {
  sequence_ = sequence;
  const Index owners = sequence->shape().owners;
  if (sends_to_.size() < owners) sends_to_.resize(owners);
  for (auto& sends : sends_to_) sends.clear();
  racing_.assign(owners, 0);
  for (Index send = 0; send < sequence->sends().size(); ++send) {
    const Send& it = sequence->sends()[send];
    if (it.owner == kNone) continue;
    sends_to_[it.owner].push_back(send);
    if (it.partner == kNone) racing_[it.owner] = kNone;
  }
  for (Index owner = 0; owner < owners; ++owner) {
    if (racing_[owner] == kNone) continue;  // what was not received may race with any
    const auto all = static_cast<Index>(sequence->ReceivesOf(owner).size());
    racing_[owner] = all - ChainAtEnd(owner);
  }
}

// How many of an owner's last receives are a chain, each made after the one before it was served:
// none of them races with a later one. A variable that a lock protects is such a chain as a whole.
Index Races::ChainAtEnd(Index owner) const {
  const std::span<const Index> all = sequence_->ReceivesOf(owner);
  std::size_t first = all.empty() ? 0 : all.size() - 1;
  while (first > 0) {
    const Index next = sequence_->receives()[all[first]].partner;
    if (!sequence_->PrecedesSend(all[first - 1], next)) break;
    --first;
  }
  return static_cast<Index>(all.size() - first);
}

// Condition 4: what must be received before `send` was received before `receive`. `earlier` are the
// sends to the same owner that were made before `send`.
bool Races::KeepsOrder(const Send& send, const Receive& receive,
                       std::span<const Index> earlier) const {
  if (send.order == Order::kNone) return true;
  for (const Index id : earlier) {
    const Send& other = sequence_->sends()[id];
    if (other.object != send.object) continue;
    if (send.order == Order::kPerSender && other.thread != send.thread) continue;
    if (other.partner == kNone || sequence_->receives()[other.partner].number >= receive.number) {
      return false;
    }
  }
  return true;
}

std::vector<Index> Races::Of(Index r) const {
  std::vector<Index> race;
  const Receive& receive = sequence_->receives()[r];
  if (receive.number >= racing_[receive.owner]) return race;
  const std::span<const Index> candidates = sends_to_[receive.owner];
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Send& send = sequence_->sends()[candidates[i]];
    if (send.partner == r) continue;
    if (send.partner != kNone && sequence_->receives()[send.partner].number < receive.number) {
      continue;
    }
    if (sequence_->PrecedesSend(r, candidates[i]) || !sequence_->IsOpenAt(send, receive)) continue;
    if (!KeepsOrder(send, receive, candidates.first(i))) continue;
    race.push_back(candidates[i]);
  }
  return race;
}

std::vector<std::vector<Index>> RaceSets(const Sequence& sequence) {
  Races races;
  races.Begin(&sequence);
  std::vector<std::vector<Index>> sets;
  for (Index r = 0; r < sequence.receives().size(); ++r) sets.push_back(races.Of(r));
  return sets;
}

}  // namespace heddle::reach
