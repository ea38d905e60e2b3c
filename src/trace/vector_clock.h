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
    if (__builtin_expect(other.used_ > room_, 0)) Grow(other.used_);
    for (std::size_t i = 0; i < other.used_; i += kAtOnce) FourAt(i) = other.FourAt(i);
    used_ = other.used_;
    return *this;
  }

  std::uint32_t Of(ThreadId thread) const {
    return thread < used_ ? static_cast<std::uint32_t>(TimeOf(thread)) : 0;
  }

  void Set(ThreadId thread, std::uint32_t time) {
    if (__builtin_expect(thread >= used_, 0)) Mention(thread + 1u);
    TimeOf(thread) = static_cast<std::int32_t>(time);
  }

  // Not before that time.
  void Raise(ThreadId thread, std::uint32_t time) {
    if (Of(thread) < time) Set(thread, time);
  }

  // Whether that changed it.
  bool Join(const VectorClock& other) {
    if (other.used_ > used_) Mention(other.used_);
    Times changed = {};
    for (std::size_t i = 0; i < other.used_; i += kAtOnce) {
      const Times theirs = other.FourAt(i);
      Times& ours = FourAt(i);
      const Times is_later = theirs > ours;
      changed |= is_later;
      ours = is_later ? theirs : ours;
    }
    return (changed[0] | changed[1] | changed[2] | changed[3]) != 0;
  }

  void Clear() { used_ = 0; }
  bool empty() const { return used_ == 0; }

 private:
  static constexpr std::uint32_t kAtOnce = 4;
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
  const Times& FourAt(std::size_t thread) const { return fours_[thread / kAtOnce].times; }
  Times& FourAt(std::size_t thread) { return fours_[thread / kAtOnce].times; }

  void Mention(std::uint32_t threads) {
    threads = (threads + kAtOnce - 1) & ~(kAtOnce - 1);
    if (__builtin_expect(threads > room_, 0)) Grow(threads);
    do {
      FourAt(used_) = Times{};
      used_ += kAtOnce;
    } while (used_ < threads);
  }
  [[gnu::noinline]] void Grow(std::uint32_t threads) {
    fours_.resize(threads / kAtOnce);
    room_ = threads;
  }

  std::vector<Four> fours_;
  std::uint32_t used_ = 0;  // threads that are mentioned, and those up to the end of their four
  std::uint32_t room_ = 0;  // for so many
};

}  // namespace heddle

#endif  // HEDDLE_TRACE_VECTOR_CLOCK_H_
