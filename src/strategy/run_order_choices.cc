// What was decided in a run beside who goes on: whom an event woke, which message a receive took.
#include <algorithm>

#include "strategy/run_order.h"

namespace heddle {

bool RunOrder::IsMessageChoice(const DecisionRecord& decision) const {
  if (decision.kind != DecisionKind::kWaiter || decision.event >= trace_.events.size())
    return false;
  const Event& next = trace_.events[decision.event];
  return next.kind == OpKind::kPortReceive && next.thread == decision.current;
}

void RunOrder::FindChoices() {
  has_choices_ = std::any_of(
      trace_.decisions.begin(), trace_.decisions.end(),
      [](const DecisionRecord& decision) { return decision.kind != DecisionKind::kThread; });
  if (!has_choices_) return;
  first_choice_.assign(events_ + 1, static_cast<std::uint32_t>(trace_.decisions.size()));
  for (std::size_t d = trace_.decisions.size(); d-- > 0;) {
    const DecisionRecord& decision = trace_.decisions[d];
    if (decision.kind == DecisionKind::kThread || decision.event == 0) continue;
    if (IsMessageChoice(decision)) {
      first_choice_[decision.event] = static_cast<std::uint32_t>(d);
      continue;
    }
    first_choice_[decision.event - 1] = static_cast<std::uint32_t>(d);
  }
}

// What is at the ports, and which of it a receive takes: the sender's first at the port. A bounded
// port has a message where it was admitted, from when it was sent.
void RunOrder::FollowMessages(Step i) {
  const Event& event = trace_.events[i];
  const auto is_bounded = [&](ObjectId port) {
    return trace_.objects[port].kind == ObjectKind::kBoundedPort;
  };
  switch (event.kind) {
    case OpKind::kPortOpen:
      open_.push_back({event.thread, event.object});
      return;
    case OpKind::kPortPut:
      waiting_.push_back({event.thread, kNone, event.object});
      return;
    case OpKind::kPortSend:
      for (Waiting& place : waiting_) {
        if (place.send != kNone || place.sender != event.thread || place.port != event.object)
          continue;
        place.send = i;
        return;
      }
      waiting_.push_back({event.thread, i, event.object});
      return;
    case OpKind::kPortReceive:
      break;
    default:
      return;
  }
  const auto is_open = [&](ObjectId port) {
    return std::any_of(open_.begin(), open_.end(), [&](const OpenPort& open) {
      return open.receiver == event.thread && open.port == port;
    });
  };
  Message& taken = messages_[i];
  taken.sender = event.other;
  std::size_t index = waiting_.size();
  for (std::size_t m = 0; m < waiting_.size() && index == waiting_.size(); ++m) {
    if (waiting_[m].port == event.object && waiting_[m].sender == event.other) index = m;
  }
  if (index == waiting_.size()) return;
  for (std::size_t m = 0; m < waiting_.size(); ++m) {
    const Waiting& other = waiting_[m];
    if (m == index || other.send == kNone || !is_open(other.port)) continue;
    const bool is_first = std::none_of(
        waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(m), [&](const Waiting& w) {
          return w.port == other.port && (is_bounded(w.port) || w.sender == other.sender);
        });
    if (!is_first) continue;
    if (other.sender == event.other) {
      if (other.send < waiting_[index].send) ++taken.nth;
    } else if (ranks_[other.sender] < ranks_[event.other]) {
      taken.is_default = false;
    }
  }
  if (taken.nth > 0) taken.is_default = false;
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(index));
  std::erase_if(open_, [&](const OpenPort& open) { return open.receiver == event.thread; });
}

RunOrder::Choices RunOrder::ChoicesOf(Step event) const {
  if (!has_choices_) return {};
  Choices choices{.first = first_choice_[event], .count = 0};
  if (steps_[event].kind == OpKind::kPortReceive) {
    choices.count = choices.first < trace_.decisions.size() ? 1 : 0;
    return choices;
  }
  for (std::size_t d = choices.first; d < trace_.decisions.size(); ++d) {
    const DecisionRecord& decision = trace_.decisions[d];
    if (decision.kind == DecisionKind::kThread || decision.event != event + 1) break;
    if (IsMessageChoice(decision)) break;
    ++choices.count;
  }
  return choices;
}

bool RunOrder::IsDefault(const DecisionRecord& decision) const {
  if (IsMessageChoice(decision)) return messages_[decision.event].is_default;
  if (decision.kind == DecisionKind::kOutcome) return decision.chosen == 0;
  for (std::uint64_t left = decision.among; left != 0; left &= left - 1) {
    const auto thread = static_cast<ThreadId>(__builtin_ctzll(left));
    if (thread < ranks_.size() && ranks_[thread] < ranks_[decision.thread]) return false;
  }
  return true;
}

}  // namespace heddle
