#include "strategy/thread_weights.h"

#include <algorithm>
#include <map>

#include "trace/thread_path.h"

namespace heddle {

std::vector<PathWeight> WeightsOf(const Profile& profile,
                                  const std::function<std::uint64_t(std::uint64_t path)>& count) {
  std::map<std::uint64_t, std::uint64_t> totals;
  for (const auto& [path, thread] : profile.threads) {
    const std::uint64_t own = count(path);
    // Up the chain of parents; a chain that is damaged stops after every thread.
    std::uint64_t at = path;
    for (std::size_t left = profile.threads.size(); left > 0; --left) {
      totals[at] += own;
      const auto found = profile.threads.find(at);
      if (found == profile.threads.end() || found->second.parent == 0) break;
      at = found->second.parent;
    }
  }
  const std::uint64_t runs = std::max<std::uint64_t>(profile.runs, 1);
  std::vector<PathWeight> rows;
  for (const auto& [path, total] : totals) rows.push_back({path, (total + runs - 1) / runs});
  return rows;
}

void ThreadWeights::Begin(std::span<const PathWeight> rows) {
  rows_ = rows;
  threads_.clear();
  threads_.reserve(64);
}

std::uint64_t ThreadWeights::WeightAt(std::uint64_t path) const {
  const auto row = std::lower_bound(
      rows_.begin(), rows_.end(), path,
      [](const PathWeight& weight, std::uint64_t wanted) { return weight.path < wanted; });
  return row != rows_.end() && row->path == path ? row->weight : 0;
}

void ThreadWeights::Know(std::size_t thread_count) {
  while (threads_.size() < thread_count) {
    if (threads_.empty()) {
      threads_.push_back({.path = kMainPathHash, .weight = WeightAt(kMainPathHash)});
    } else {
      AddChild(kMainThread);
    }
  }
}

void ThreadWeights::AddChild(ThreadId parent) {
  const std::uint64_t path = ChildPathHash(threads_[parent].path, ++threads_[parent].children);
  const std::uint64_t weight = WeightAt(path);
  threads_[parent].weight -= std::min(threads_[parent].weight, weight);
  threads_.push_back({.path = path, .weight = weight});
}

ThreadId ThreadWeights::Created(ThreadId parent, std::size_t thread_count) {
  Know(std::max(thread_count - 1, parent + std::size_t{1}));
  if (threads_.size() < thread_count) AddChild(parent);
  return static_cast<ThreadId>(thread_count - 1);
}

}  // namespace heddle
