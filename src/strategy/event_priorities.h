// A random priority for every operation of a run, as a function: nothing is stored but how many
// operations each thread has executed.
//
// Pri(e, i) of Yuan, Yang, Gu: "Partial Order Aware Concurrency Sampling" (CAV 2018): e is the nth
// operation of a thread, i a version that makes earlier priorities of e void. Computing it costs
// less than remembering it, for whether it is already known can't be predicted.
#ifndef HEDDLE_STRATEGY_EVENT_PRIORITIES_H_
#define HEDDLE_STRATEGY_EVENT_PRIORITIES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "base/rng.h"
#include "trace/decision.h"

namespace heddle {

class EventPriorities {
 public:
  void Begin(std::uint64_t seed) {
    rng_.Seed(seed);
    base_ = rng_.Next();
    std::fill(executed_.begin(), executed_.begin() + known_, 0);
    known_ = 0;
  }

  // For what is not a priority.
  Rng& rng() { return rng_; }

  // Independent and uniform over all 64-bit numbers for different operations and versions. A
  // blocked thread's time-out is an operation of its own.
  std::uint64_t Of(const Option& option, std::uint64_t version = 0) const {
    const std::uint64_t nth = option.thread < executed_.size() ? executed_[option.thread] : 0;
    return Mix(base_ + option.thread * 0xd6e8feb86659fd93ull + nth * 0xa0761d6478bd642full +
               version * 0xe7037ed1a0b428dbull +
               static_cast<std::uint64_t>(option.outcome) * 0x8ebc6af09c88c6e3ull);
  }

  // The thread's operation was executed: it has another one now.
  void Executed(ThreadId thread) {
    if (thread >= executed_.size()) executed_.resize(thread + std::size_t{1});
    if (thread >= known_) known_ = thread + std::ptrdiff_t{1};
    ++executed_[thread];
  }

  // All priorities are void.
  void Redraw() { base_ = rng_.Next(); }

 private:
  static constexpr std::size_t kWarmThreads = 64;

  Rng rng_{0};
  std::uint64_t base_ = 0;
  // By thread. Its size stays from run to run, so that the question whether a thread is in it has
  // the same answer nearly always; behind known_ it is all 0.
  std::vector<std::uint32_t> executed_ = std::vector<std::uint32_t>(kWarmThreads);
  std::ptrdiff_t known_ = 0;
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
