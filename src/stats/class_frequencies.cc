#include "stats/class_frequencies.h"

#include "base/hash.h"

namespace heddle {

// One class more (or fewer) of those seen `times` times.
void ClassFrequencies::Move(std::uint64_t times, int by) {
  if (times == 1) once_ += static_cast<std::uint64_t>(by);
  if (times == 2) twice_ += static_cast<std::uint64_t>(by);
}

void ClassFrequencies::Add(std::uint64_t class_hash) {
  ++runs_;
  // Mixed once more: what is followed must not depend on how class hashes are made.
  const std::uint64_t key = Mix(class_hash);
  if (!IsFollowed(key)) return;
  std::uint64_t& times = seen_[key];
  Move(times, -1);
  Move(++times, +1);
  if (seen_.size() > capacity_) Thin();
}

void ClassFrequencies::Thin() {
  ++bits_;
  for (auto it = seen_.begin(); it != seen_.end();) {
    if (IsFollowed(it->first)) {
      ++it;
      continue;
    }
    Move(it->second, -1);
    it = seen_.erase(it);
  }
}

FrequencyCounts ClassFrequencies::Counts() const {
  const auto scale = static_cast<double>(std::uint64_t{1} << bits_);
  return {.runs = runs_,
          .classes = static_cast<double>(seen_.size()) * scale,
          .once = static_cast<double>(once_) * scale,
          .twice = static_cast<double>(twice_) * scale,
          .exact = bits_ == 0};
}

}  // namespace heddle
