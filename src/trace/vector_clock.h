// How far each thread had come: the clocks that happens-before is computed with.
#ifndef HEDDLE_TRACE_VECTOR_CLOCK_H_
#define HEDDLE_TRACE_VECTOR_CLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace heddle {

// Threads that are not mentioned are at 0. Keeps its memory when cleared or assigned to.
class VectorClock {
 public:
  VectorClock() = default;
  VectorClock(const VectorClock& other) { *this = other; }
  VectorClock& operator=(const VectorClock& other) {
    if (other.size_ > times_.size()) times_.resize(other.size_);
    std::copy_n(other.times_.begin(), other.size_, times_.begin());
    size_ = other.size_;
    return *this;
  }

  std::uint32_t Of(ThreadId thread) const { return thread < size_ ? times_[thread] : 0; }

  void Set(ThreadId thread, std::uint32_t time) {
    if (thread >= size_) Mention(thread + 1u);
    times_[thread] = time;
  }

  // Whether that changed it.
  bool Join(const VectorClock& other) {
    if (other.size_ > size_) Mention(other.size_);
    bool changed = false;
    for (std::size_t i = 0; i < other.size_; ++i) {
      changed |= other.times_[i] > times_[i];
      times_[i] = other.times_[i] > times_[i] ? other.times_[i] : times_[i];
    }
    return changed;
  }

  void Clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }

 private:
  void Mention(std::size_t threads) {
    if (threads > times_.size()) times_.resize(threads);
    std::fill(times_.begin() + static_cast<std::ptrdiff_t>(size_),
              times_.begin() + static_cast<std::ptrdiff_t>(threads), 0);
    size_ = threads;
  }

  std::vector<std::uint32_t> times_;  // the first size_ count
  std::size_t size_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_VECTOR_CLOCK_H_
