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
  bytes_ = 0;
}

void Quarantine::Add(const FreedBlock& block) {
  blocks_.push_back(block);
  bytes_ += block.size;
}

FreedBlock Quarantine::TakeOldest() {
  const FreedBlock oldest = blocks_.front();
  blocks_.pop_front();
  bytes_ -= oldest.size;
  return oldest;
}

FreedBlock Quarantine::LatestFor(std::uint64_t size) const {
  const std::uint64_t wanted = ClassOf(size);
  const auto found =
      std::find_if(blocks_.rbegin(), blocks_.rend(),
                   [wanted](const FreedBlock& block) { return ClassOf(block.size) == wanted; });
  return found == blocks_.rend() ? FreedBlock() : *found;
}

void Quarantine::Take(const FreedBlock& block) {
  const auto found =
      std::find_if(blocks_.rbegin(), blocks_.rend(),
                   [&block](const FreedBlock& other) { return other.base == block.base; });
  if (found == blocks_.rend()) return;
  bytes_ -= found->size;
  blocks_.erase(std::next(found).base());
}

const FreedBlock* Quarantine::Find(std::uint64_t base) const {
  const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                  [base](const FreedBlock& block) { return block.base == base; });
  return found == blocks_.rend() ? nullptr : &*found;
}

}  // namespace heddle
