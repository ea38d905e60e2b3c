#include "explore/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr double kShare = 0.02;      // of the time, that may be spent in vain
constexpr double kCostFactor = 1.5;  // of a checkpoint: a process, and what it shares no longer
constexpr double kNearest = 0.125;   // of a checkpoint's cost is what the nearest one leaves to do
constexpr double kApart = 4;         // each is so much farther from the branch than the next
constexpr double kSmooth = 0.1;      // weight of a new measurement

void Smooth(double* mean, double value) {
  *mean = *mean == 0 ? value : *mean + kSmooth * (value - *mean);
}

std::string_view ReasonOf(CheckpointRefusal refusal) {
  switch (refusal) {
    case CheckpointRefusal::kNone:
      break;
    case CheckpointRefusal::kBackend:
      return "they need the fiber backend";
    case CheckpointRefusal::kPolicy:
      return "the strategy's runs can't begin in the middle";
    case CheckpointRefusal::kDescriptors:
      return "the program had opened, closed, moved in, written or changed files by then";
    case CheckpointRefusal::kStreams:
      return "the program has pipes, sockets or other streams";
    case CheckpointRefusal::kSharedMemory:
      return "the program has memory that it shares with other processes";
    case CheckpointRefusal::kProcesses:
      return "the program had started processes by then";
    case CheckpointRefusal::kFiles:
      return "the program had made temporary files by then";
    case CheckpointRefusal::kUncontrolled:
      return "the program had done something that heddle does not control";
    case CheckpointRefusal::kCantTell:
      return "/proc does not tell whether files were used";
    case CheckpointRefusal::kNoProcess:
      return "the machine is out of memory or of processes";
  }
  return "no run had a beginning in common with one before it";
}

}  // namespace

std::optional<CheckpointMode> CheckpointModeByName(std::string_view name) {
  if (name == "auto") return CheckpointMode::kAuto;
  if (name == "on") return CheckpointMode::kOn;
  if (name == "off") return CheckpointMode::kOff;
  return std::nullopt;
}

void CheckpointCounts::Add(const CheckpointCounts& more) {
  left += more.left;
  runs += more.runs;
  events_skipped += more.events_skipped;
  if (refusal == CheckpointRefusal::kNone) refusal = more.refusal;
}

std::string Describe(const CheckpointCounts& counts) {
  if (counts.left == 0) {
    return fmt::format("Checkpoints were not used: {}.", ReasonOf(counts.refusal));
  }
  return fmt::format("Checkpoints: {} left, {} runs went on from one, {} events were not repeated.",
                     counts.left, counts.runs, counts.events_skipped);
}

void Checkpoints::Forget() {
  path_.clear();
  live_.clear();
}

std::size_t Checkpoints::CommonWith(const Plan& plan) const {
  const std::size_t most = std::min(plan.prefix.size(), path_.size());
  std::size_t common = 0;
  while (common < most && path_[common].answer == plan.prefix[common]) ++common;
  return common;
}

std::uint64_t Checkpoints::EventsBefore(std::size_t decision) const {
  if (path_.empty()) return 0;
  return path_[std::min(decision, path_.size() - 1)].events;
}

std::size_t Checkpoints::DecisionAt(std::uint64_t events) const {
  const auto behind =
      std::upper_bound(path_.begin(), path_.end(), events,
                       [](std::uint64_t most, const Step& step) { return most < step.events; });
  return behind == path_.begin() ? 0 : static_cast<std::size_t>(behind - path_.begin()) - 1;
}

double Checkpoints::CostOfOne() const { return kCostFactor * process_seconds_; }

// Wherever one could be of use, whatever it costs.
std::vector<std::uint32_t> Checkpoints::Everywhere(std::size_t from, std::size_t branch) {
  std::vector<std::uint32_t> at;
  const std::size_t middle = from + (branch - from) / 2;
  if (middle > from) at.push_back(static_cast<std::uint32_t>(middle));
  at.push_back(static_cast<std::uint32_t>(branch));
  return at;
}

// Where it pays: at growing distances before the branch, the nearest ones first.
std::vector<std::uint32_t> Checkpoints::Spread(std::size_t from, std::size_t branch) const {
  std::vector<std::uint32_t> at;
  if (process_seconds_ == 0 || event_seconds_ == 0) return at;
  const double cost = CostOfOne();
  const double begin = static_cast<double>(EventsBefore(from));
  const double end = static_cast<double>(EventsBefore(branch));
  double distance = kNearest * cost / event_seconds_;
  auto last = static_cast<double>(branch);
  // The first one is free: whether plans come back to it is not known otherwise.
  const double credit = credit_ + (counts_.left == 0 ? cost : 0);
  for (double left = credit - cost; left >= 0; left -= cost, distance *= kApart) {
    const double events = end - distance;
    if ((events - begin) * event_seconds_ < cost) break;
    const std::size_t decision = DecisionAt(static_cast<std::uint64_t>(events));
    if (decision <= from || static_cast<double>(decision) >= last) break;
    at.push_back(static_cast<std::uint32_t>(decision));
    last = static_cast<double>(decision);
  }
  std::reverse(at.begin(), at.end());
  return at;
}

CheckpointOrder Checkpoints::For(const Plan& plan) {
  CheckpointOrder order;
  if (mode_ == CheckpointMode::kOff) return order;
  order.measure = mode_ == CheckpointMode::kAuto;
  if (plan.prefix.empty()) return order;
  // The last answer of the prefix is what this run does differently: before it at the latest, for
  // the policy takes over behind it.
  const std::size_t branch = plan.prefix.size() - 1;
  const std::size_t common = plan.policy == policy_ ? std::min(CommonWith(plan), branch) : 0;
  while (order.keep < live_.size() && live_[order.keep].decisions <= common) ++order.keep;
  const std::size_t from = order.keep == 0 ? 0 : live_[order.keep - 1].decisions;
  if (branch > from) {
    order.at = mode_ == CheckpointMode::kOn ? Everywhere(from, branch) : Spread(from, branch);
  }
  std::erase_if(order.at, [this](std::uint32_t decision) { return decision >= limit_; });
  const std::size_t room = kMaxCheckpoints - order.keep;
  if (order.at.size() > room) order.at.erase(order.at.begin(), order.at.end() - room);
  return order;
}

void Checkpoints::Made(const Plan& plan, std::span<const DecisionRecord> decisions,
                       const CheckpointReply& reply) {
  const CheckpointRecord* const from =
      reply.made_from == 0 ? nullptr : &reply.live[reply.made_from - 1];
  const std::size_t left = reply.live.size() - reply.made_from;
  counts_.left += left;
  if (from != nullptr) {
    ++counts_.runs;
    counts_.events_skipped += from->events;
  }
  if (reply.refusal != CheckpointRefusal::kNone) {
    limit_ = std::min<std::uint64_t>(limit_, reply.refused_at);
    if (counts_.refusal == CheckpointRefusal::kNone) counts_.refusal = reply.refusal;
  }
  live_ = reply.live;
  policy_ = plan.policy;
  // What came before the checkpoint is as it was.
  const std::size_t same =
      from == nullptr ? 0 : std::min<std::size_t>(from->decisions, path_.size());
  path_.resize(std::min(same, decisions.size()));
  for (std::size_t i = path_.size(); i < decisions.size(); ++i) {
    const DecisionRecord& decision = decisions[i];
    path_.push_back({{decision.chosen, decision.options}, decision.event});
  }

  if (reply.run_seconds <= 0 || reply.seconds <= 0) return;
  credit_ += kShare * reply.seconds - static_cast<double>(left) * CostOfOne();
  if (from != nullptr) credit_ += static_cast<double>(from->events) * event_seconds_;
  if (left != 0 || reply.refusal != CheckpointRefusal::kNone) return;  // not an ordinary run
  Smooth(&process_seconds_, std::max(0.0, reply.seconds - reply.run_seconds));
  // A run that is mostly a copy says more about copying than about events.
  const std::uint64_t skipped = from == nullptr ? 0 : from->events;
  const std::uint64_t all = path_.empty() ? 0 : path_.back().events;
  if (all > 2 * skipped) {
    Smooth(&event_seconds_, reply.run_seconds / static_cast<double>(all - skipped));
  }
}

}  // namespace heddle
