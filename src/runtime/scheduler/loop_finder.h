// Finds the loop that a thread goes round in without getting on, from the jumps back that it takes.
//
// It is told of each, with a hash of all that the thread has of its own by then. A thread that
// takes the same jump with the same state again takes all that lie between for ever, unless what it
// reads elsewhere changes. Where loops lie in each other the outermost one is found: the jump that
// is taken least often.
#ifndef HEDDLE_RUNTIME_SCHEDULER_LOOP_FINDER_H_
#define HEDDLE_RUNTIME_SCHEDULER_LOOP_FINDER_H_

#include <algorithm>
#include <cstdint>

namespace heddle {

class LoopFinder {
 public:
  // The thread jumps back at that address. True: it goes round, and found() is where.
  bool Took(std::uint64_t address, std::uint64_t state) {
    return rest_ == 0 ? Look(address, state) : Count(address);
  }
  std::uint64_t found() const { return found_; }

 private:
  static constexpr std::uint32_t kMostJumps = 16;  // in a loop

  struct Jump {
    std::uint64_t address;
    std::uint64_t times;
  };

  // Brent's way to find a cycle, as in scheduler/spin.h.
  bool Look(std::uint64_t address, std::uint64_t state) {
    ++length_;
    if (address == address_ && state == state_) {
      rest_ = length_;  // once more round, to count
      return false;
    }
    if (length_ >= most_) {
      address_ = address;
      state_ = state;
      most_ *= 2;
      length_ = 0;
    }
    return false;
  }

  bool Count(std::uint64_t address) {
    Jump* const end = jumps_ + count_;
    Jump* const known =
        std::find_if(jumps_, end, [&](const Jump& jump) { return jump.address == address; });
    if (known != end) {
      ++known->times;
    } else if (count_ < kMostJumps) {
      jumps_[count_++] = {address, 1};
    }
    if (--rest_ > 0) return false;
    const Jump* const rarest =
        std::min_element(jumps_, jumps_ + count_, [](const Jump& a, const Jump& b) {
          return a.times != b.times ? a.times < b.times : a.address < b.address;
        });
    found_ = rarest->address;
    return true;
  }

  std::uint64_t address_ = 0, state_ = 0;  // compared with what comes
  std::uint64_t length_ = 0, most_ = 1;    // jumps since, and before another one is taken for it
  std::uint64_t rest_ = 0;                 // jumps of the loop still to be counted
  std::uint64_t found_ = 0;
  std::uint32_t count_ = 0;
  Jump jumps_[kMostJumps] = {};
};

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_SCHEDULER_LOOP_FINDER_H_
