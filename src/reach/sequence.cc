#include "reach/sequence.h"

#include <algorithm>

#include "base/check.h"

namespace heddle::reach {
namespace {

void Merge(std::span<Index> into, std::span<const Index> from) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

void Resize(std::vector<std::vector<Index>>& lists, Index count) {
  lists.resize(count);
  for (auto& list : lists) list.clear();
}

}  // namespace

const char* NameOf(Operation operation) {
  switch (operation) {
    case Operation::kP:
      return "P";
    case Operation::kV:
      return "V";
    case Operation::kLock:
      return "lock";
    case Operation::kUnlock:
      return "unlock";
    case Operation::kEnter:
      return "enter";
    case Operation::kSend:
      return "send";
    case Operation::kPut:
      return "put";
    case Operation::kTouch:
      return "touch";
    case Operation::kWake:
      return "wake";
  }
  return "?";
}

void Sequence::Reset(const Shape& shape) {
  shape_ = shape;
  slots_ = shape.scheme == Scheme::kThreadCentric ? shape.threads : shape.owners;
  sends_.clear();
  receives_.clear();
  open_.clear();
  Resize(by_owner_, shape.owners);
  Resize(by_thread_, shape.threads);
  send_clocks_.clear();
  receive_clocks_.clear();
  prime_clocks_.clear();
  thread_clocks_.assign(static_cast<std::size_t>(shape.threads) * slots_, 0);
  owner_clocks_.assign(static_cast<std::size_t>(shape.owners) * slots_, 0);
}

void Sequence::Append(Clocks& clocks, std::span<const Index> row) const {
  clocks.insert(clocks.end(), row.begin(), row.end());
}

Index Sequence::AddSend(Index thread, Index object, Index owner, Operation operation, Order order) {
  const auto id = static_cast<Index>(sends_.size());
  const auto number = static_cast<Index>(by_thread_[thread].size());
  sends_.push_back({.thread = thread,
                    .number = number,
                    .object = object,
                    .owner = owner,
                    .operation = operation,
                    .order = order});
  by_thread_[thread].push_back(id);
  const std::span<Index> clock = Row(thread_clocks_, thread);
  if (shape_.scheme == Scheme::kThreadCentric) ++clock[thread];
  Append(send_clocks_, clock);
  return id;
}

// Differs from the paper: rule 2 of the object-centric scheme as printed never increments the
// version number. It is the owner's count of receives, so that r -> e iff e has seen that count.
Index Sequence::AddReceive(Index owner, Index send, std::span<const Open> open, Index receiver) {
  HEDDLE_CHECK(sends_[send].partner == kNone && sends_[send].owner == owner);
  const auto id = static_cast<Index>(receives_.size());
  Receive receive{.owner = owner,
                  .number = static_cast<Index>(by_owner_[owner].size()),
                  .partner = send,
                  .open_first = static_cast<Index>(open_.size()),
                  .open_count = static_cast<Index>(open.size())};
  open_.insert(open_.end(), open.begin(), open.end());
  if (receiver != kNone) OwnerLearnsThread(owner, receiver);
  const std::span<Index> clock = Row(owner_clocks_, owner);
  Append(prime_clocks_, clock);
  Merge(clock, Row(send_clocks_, send));
  if (shape_.scheme == Scheme::kObjectCentric) {
    receive.slot = owner;
    receive.tick = ++clock[owner];
  } else if (receiver != kNone) {
    receive.slot = receiver;
    receive.tick = ++clock[receiver];
  } else {
    // An object has no slot of its own. Its sender waits, so whoever has seen the send has seen its
    // completion.
    receive.slot = sends_[send].thread;
    receive.tick = Row(send_clocks_, send)[receive.slot];
  }
  Append(receive_clocks_, clock);
  receives_.push_back(receive);
  by_owner_[owner].push_back(id);
  sends_[send].partner = id;
  if (receiver != kNone) ThreadLearnsOwner(receiver, owner);
  return id;
}

void Sequence::ThreadLearnsOwner(Index thread, Index owner) {
  Merge(Row(thread_clocks_, thread), Row(owner_clocks_, owner));
}

void Sequence::OwnerLearnsThread(Index owner, Index thread) {
  Merge(Row(owner_clocks_, owner), Row(thread_clocks_, thread));
}

void Sequence::ThreadLearnsThread(Index thread, Index from) {
  Merge(Row(thread_clocks_, thread), Row(thread_clocks_, from));
}

void Sequence::OwnerLearnsReceive(Index owner, Index receive) {
  Merge(Row(owner_clocks_, owner), Row(receive_clocks_, receive));
}

bool Sequence::IsOpenAt(const Send& send, const Receive& receive) const {
  if (send.owner != receive.owner) return false;
  const std::span<const Open> open = OpenListOf(receive);
  return std::any_of(open.begin(), open.end(), [&](const Open& entry) {
    return entry.object == send.object && entry.operation == send.operation &&
           (entry.thread == kNone || entry.thread == send.thread);
  });
}

bool Sequence::PrecedesSend(Index receive, Index send) const {
  return sends_[send].partner != receive && HasSeen(Row(send_clocks_, send), receives_[receive]);
}

bool Sequence::PrecedesReceive(Index receive, Index later) const {
  return receive != later && HasSeen(Row(receive_clocks_, later), receives_[receive]);
}

bool Sequence::InPrimeOf(Index receive, Index later) const {
  return receive != later && HasSeen(Row(prime_clocks_, later), receives_[receive]);
}

bool Sequence::PrecedesOwner(Index receive, Index owner) const {
  return HasSeen(Row(owner_clocks_, owner), receives_[receive]);
}

void Sequence::RaiseTo(std::span<const Index> clock, std::vector<Index>& counts) const {
  if (shape_.scheme == Scheme::kObjectCentric) {
    Merge(counts, clock);
    return;
  }
  for (Index owner = 0; owner < shape_.owners; ++owner) {
    Index& count = counts[owner];
    const std::span<const Index> receives = by_owner_[owner];
    while (count < receives.size() && HasSeen(clock, receives_[receives[count]])) ++count;
  }
}

// In the thread-centric scheme a clock that has seen the send's own partner's tick would count the
// partner too; `send` is never the partner of a receive that lies in its past, and the caller sets
// the owner of `receive` itself.
void Sequence::RaiseToPast(Index receive, Index send, std::vector<Index>& counts) const {
  RaiseTo(Row(prime_clocks_, receive), counts);
  RaiseTo(Row(send_clocks_, send), counts);
}

std::vector<Index> Sequence::Identity() const {
  std::vector<Index> identity;
  for (const std::vector<Index>& receives : by_owner_) {
    identity.push_back(static_cast<Index>(receives.size()));
    for (const Index receive : receives) {
      const SendName name = NameOfSend(receives_[receive].partner);
      identity.push_back(name.thread);
      identity.push_back(name.number);
    }
  }
  return identity;
}

}  // namespace heddle::reach
