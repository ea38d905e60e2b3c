// A random priority for the pending operation of every thread, drawn when it is first asked for.
//
// The priority belongs to the operation: once that is executed (Forget) the thread's next one gets
// a fresh draw. A blocked thread's time-out is an operation of its own.
#ifndef HEDDLE_STRATEGY_EVENT_PRIORITIES_H_
#define HEDDLE_STRATEGY_EVENT_PRIORITIES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/rng.h"
#include "trace/decision.h"

namespace heddle {

class EventPriorities {
 public:
  void Begin(std::uint64_t seed) {
    rng_ = Rng(seed);
    generation_ = 1;
    slots_.clear();
    slots_.reserve(kWarmThreads);
  }

  Rng& rng() { return rng_; }

  // The priority of an option. `version` is whatever a changed value of which makes the old draw
  // void. Draw in the order of the options.
  std::uint64_t Of(const Option& option, std::uint64_t version = 0) {
    Slot& slot = SlotOf(option.thread);
    if (slot.generation != generation_ || slot.version != version) {
      slot.generation = generation_;
      slot.version = version;
      slot.drawn = 0;
    }
    const auto outcome = static_cast<std::size_t>(option.outcome);
    if ((slot.drawn >> outcome & 1) == 0) {
      slot.drawn |= static_cast<std::uint32_t>(1) << outcome;
      slot.priority[outcome] = rng_.Next();
    }
    return slot.priority[outcome];
  }

  // The thread's operation was executed.
  void Forget(ThreadId thread) { SlotOf(thread).generation = 0; }
  void ForgetAll() { ++generation_; }

 private:
  static constexpr std::size_t kWarmThreads = 64;

  struct Slot {
    std::uint32_t generation = 0;  // of the draws; 0 = none
    std::uint32_t drawn = 0;       // bit by outcome
    std::uint64_t version = 0;
    std::uint64_t priority[2] = {};
  };

  Slot& SlotOf(ThreadId thread) {
    if (thread >= slots_.size()) slots_.resize(thread + std::size_t{1});
    return slots_[thread];
  }

  Rng rng_{0};
  std::uint32_t generation_ = 1;
  std::vector<Slot> slots_;
};

// Index of the option with the highest priority.
template <typename PriorityOf>
std::size_t HighestOption(const Decision& decision, const PriorityOf& priority_of) {
  std::size_t best = 0;
  auto highest = priority_of(decision.options[0]);
  for (std::size_t i = 1; i < decision.options.size(); ++i) {
    const auto priority = priority_of(decision.options[i]);
    // Conditional moves, not a branch: nobody can predict it.
    best = priority > highest ? i : best;
    highest = priority > highest ? priority : highest;
  }
  return best;
}

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_EVENT_PRIORITIES_H_
