// How far each thread had come: the clocks that happens-before is computed with.
#ifndef HEDDLE_TRACE_VECTOR_CLOCK_H_
#define HEDDLE_TRACE_VECTOR_CLOCK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace heddle {

// Threads that are not mentioned are at 0. Keeps its memory when cleared.
class VectorClock {
 public:
  std::uint32_t Of(ThreadId thread) const { return thread < times_.size() ? times_[thread] : 0; }

  void Set(ThreadId thread, std::uint32_t time) {
    if (thread >= times_.size()) times_.resize(thread + 1u, 0);
    times_[thread] = time;
  }

  // Whether that changed it.
  bool Join(const VectorClock& other) {
    if (other.times_.size() > times_.size()) times_.resize(other.times_.size(), 0);
    bool changed = false;
    for (std::size_t i = 0; i < other.times_.size(); ++i) {
      changed |= other.times_[i] > times_[i];
      times_[i] = other.times_[i] > times_[i] ? other.times_[i] : times_[i];
    }
    return changed;
  }

  void Clear() { times_.clear(); }
  bool empty() const { return times_.empty(); }

 private:
  std::vector<std::uint32_t> times_;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_VECTOR_CLOCK_H_
