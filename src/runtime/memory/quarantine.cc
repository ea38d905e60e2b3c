#include "runtime/memory/quarantine.h"

#include <algorithm>

namespace heddle {
namespace {

// Of equal ones a request for one size can be answered with a block of the other.
std::uint64_t ClassOf(std::uint64_t size) {
  constexpr std::uint64_t kFine = 256;
  return size <= kFine ? (std::max<std::uint64_t>(size, 1) + 15) / 16 : size;
}

}  // namespace

void Quarantine::Clear() {
  blocks_.clear();
  oldest_ = 0;
  bytes_ = 0;
}

void Quarantine::Add(const FreedBlock& block) {
  blocks_.push_back(block);
  bytes_ += block.size;
}

FreedBlock Quarantine::TakeOldest() {
  const FreedBlock oldest = blocks_[oldest_++];
  bytes_ -= oldest.size;
  // The gap is closed when it is half of all: in the mean, each block moves once.
  if (oldest_ > blocks_.size() / 2) {
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    oldest_ = 0;
  }
  return oldest;
}

FreedBlock Quarantine::LatestFor(std::uint64_t size) const {
  const std::uint64_t wanted = ClassOf(size);
  const std::span<const FreedBlock> blocks = Blocks();
  const auto found =
      std::find_if(blocks.rbegin(), blocks.rend(),
                   [wanted](const FreedBlock& block) { return ClassOf(block.size) == wanted; });
  return found == blocks.rend() ? FreedBlock() : *found;
}

void Quarantine::Take(const FreedBlock& block) {
  const FreedBlock* const found = Find(block.base);
  if (found == nullptr) return;
  bytes_ -= found->size;
  blocks_.erase(blocks_.begin() + (found - blocks_.data()));
}

const FreedBlock* Quarantine::Find(std::uint64_t base) const {
  const std::span<const FreedBlock> blocks = Blocks();
  const auto found = std::find_if(blocks.rbegin(), blocks.rend(),
                                  [base](const FreedBlock& block) { return block.base == base; });
  return found == blocks.rend() ? nullptr : &*found;
}

}  // namespace heddle
