// Sets of threads as words of bits; the number of members is kept beside them.
#ifndef HEDDLE_RUNTIME_SCHEDULER_BITS_H_
#define HEDDLE_RUNTIME_SCHEDULER_BITS_H_

#include <cstddef>
#include <cstdint>

#include "base/ids.h"

namespace heddle {

// Empty at first, and only as wide as it was asked to be: what lies behind is not even zero.
class ThreadSet {
 public:
  ThreadSet() : size_(0) { Widen(1); }

  std::size_t size() const { return size_; }  // in words
  void Widen(std::size_t size) {
    while (size_ < size) words_[size_++] = 0;
  }

  std::uint64_t& operator[](std::size_t word) { return words_[word]; }
  const std::uint64_t& operator[](std::size_t word) const { return words_[word]; }
  const std::uint64_t* begin() const { return words_; }
  const std::uint64_t* end() const { return words_ + size_; }

 private:
  std::size_t size_;
  std::uint64_t words_[kMaxThreads / 64 + 1];
};

inline void SetBit(ThreadSet& set, std::uint32_t& count, ThreadId thread, bool value) {
  std::uint64_t& word = set[thread / 64];
  const std::uint64_t bit = std::uint64_t{1} << (thread % 64);
  const bool before = (word & bit) != 0;
  if (before == value) return;
  word ^= bit;
  count += value ? 1 : -1;
}

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_BITS_H_
