// Freed blocks of the program's heap that are not handed out again yet.
//
// While a block is here, whoever touches it uses freed memory. The oldest leave first when there is
// too much of it; the block freed last can be taken out again, because a program may depend on when
// memory comes back (ABA).
#ifndef HEDDLE_RUNTIME_MEMORY_QUARANTINE_H_
#define HEDDLE_RUNTIME_MEMORY_QUARANTINE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace heddle {

struct FreedBlock {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint64_t site = 0;  // return address of the call that freed it
  ThreadId by = kNoThread;
};

class Quarantine {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;
  static constexpr std::size_t kMostBlocks = 1 << 16;

  void Clear();
  void Add(const FreedBlock& block);
  // Whether some block must leave; it is then the heap's again.
  bool IsFull() const { return bytes_ > kMostBytes || blocks_.size() - oldest_ > kMostBlocks; }
  FreedBlock TakeOldest();
  // The block freed last that a request of that size could get; base 0: there is none.
  FreedBlock LatestFor(std::uint64_t size) const;
  void Take(const FreedBlock& block);
  // nullptr: not here.
  const FreedBlock* Find(std::uint64_t base) const;

  template <typename Take>
  void TakeAll(const Take& take) {
    for (const FreedBlock& block : Blocks()) take(block);
    Clear();
  }

  std::uint64_t bytes() const { return bytes_; }

 private:
  std::span<const FreedBlock> Blocks() const { return std::span(blocks_).subspan(oldest_); }

  std::vector<FreedBlock> blocks_;  // oldest first; those before oldest_ are gone
  std::size_t oldest_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_QUARANTINE_H_
