// The schedule without preemptions: the thread that runs goes on until it blocks, yields or ends.
//
// It draws nothing, so it is the reference run (does a failure need a preemption at all?) and the
// tail rule of the systematic searches: behind its prefix a run changes thread only where it must.
#ifndef HEDDLE_STRATEGY_NONPREEMPTIVE_H_
#define HEDDLE_STRATEGY_NONPREEMPTIVE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "strategy/strategy.h"

namespace heddle {

// Goes on with the current thread if it can, else with the lowest. A thread whose next operation is
// a yield or a sleep has offered to stop: the next thread in cyclic order gets its turn, or a loop
// that waits by yielding would never end. Time-outs fire only where nothing else can go on, and now
// and then at such an offer: the thread that the others wait for may be asleep.
class NonPreemptivePolicy final : public Policy {
 public:
  void Begin(const Plan& plan) override {
    (void)plan;
    offers_ = 0;
    wakes_ = 0;
  }
  std::size_t Choose(const Decision& decision) override;

 private:
  int NextDue(const Decision& decision);

  std::uint64_t offers_ = 0;  // to stop, in this run
  std::uint64_t wakes_ = 0;   // by the clock
};

std::unique_ptr<Policy> MakeNonPreemptivePolicy();

// One run, without preemptions; then it is over.
std::unique_ptr<Search> MakeNonPreemptiveSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_NONPREEMPTIVE_H_
