// How far each thread had come: the clocks that happens-before is computed with.
#ifndef HEDDLE_TRACE_VECTOR_CLOCK_H_
#define HEDDLE_TRACE_VECTOR_CLOCK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace heddle {

// Threads that are not mentioned are at 0. Keeps its memory when cleared or assigned to. Times are
// kept, compared and copied by four: most programs have few threads, and a call or a loop over each
// of them would cost more than the work.
class VectorClock {
 public:
  VectorClock() = default;
  VectorClock(const VectorClock& other) { *this = other; }
  VectorClock& operator=(const VectorClock& other) {
    if (other.used_ > fours_.size()) fours_.resize(other.used_);
    for (std::size_t i = 0; i < other.used_; ++i) fours_[i] = other.fours_[i];
    used_ = other.used_;
    return *this;
  }

  std::uint32_t Of(ThreadId thread) const {
    return thread < used_ * kAtOnce ? static_cast<std::uint32_t>(TimeOf(thread)) : 0;
  }

  void Set(ThreadId thread, std::uint32_t time) {
    if (thread >= used_ * kAtOnce) Mention(thread / kAtOnce + 1);
    TimeOf(thread) = static_cast<std::int32_t>(time);
  }

  // Whether that changed it.
  bool Join(const VectorClock& other) {
    if (other.used_ > used_) Mention(other.used_);
    Times changed = {};
    for (std::size_t i = 0; i < other.used_; ++i) {
      const Times theirs = other.fours_[i].times;
      Times& ours = fours_[i].times;
      const Times is_later = theirs > ours;
      changed |= is_later;
      ours = is_later ? theirs : ours;
    }
    return (changed[0] | changed[1] | changed[2] | changed[3]) != 0;
  }

  void Clear() { used_ = 0; }
  bool empty() const { return used_ == 0; }

 private:
  static constexpr std::size_t kAtOnce = 4;
  using Times [[gnu::vector_size(kAtOnce * sizeof(std::int32_t))]] = std::int32_t;
  struct Four {
    Times times = {};
  };

  // Both compilers let a vector alias its elements.
  const std::int32_t& TimeOf(ThreadId thread) const {
    return reinterpret_cast<const std::int32_t*>(fours_.data())[thread];
  }
  std::int32_t& TimeOf(ThreadId thread) {
    return reinterpret_cast<std::int32_t*>(fours_.data())[thread];
  }
  void Mention(std::size_t fours) {
    if (fours > fours_.size()) fours_.resize(fours);
    for (; used_ < fours; ++used_) fours_[used_] = Four();
  }

  std::vector<Four> fours_;  // the first used_ count
  std::size_t used_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_VECTOR_CLOCK_H_
