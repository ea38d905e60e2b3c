// PCT: threads have random priorities, the highest that can go on runs; at d-1 random places the
// running thread drops below all others.
//
// Burckhardt, Kothari, Musuvathi, Nagarakatte: "A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs" (ASPLOS 2010).
#ifndef HEDDLE_STRATEGY_PCT_H_
#define HEDDLE_STRATEGY_PCT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "strategy/profile.h"
#include "strategy/strategy.h"

namespace heddle {

// Two forms. `classic` is the textbook's: change points are drawn independently, with replacement,
// over all k steps, and act behind a step.
//
// Differs from the paper, unless classic:
// - A place is a decision between two or more threads, not a step: forced steps do not dilute the
//   change points. k is the number of such decisions, measured in profile runs.
// - The d-1 places are distinct.
// - A change acts before the step. So the first operation of a thread can be preempted, which is
//   what the dummy event at the beginning of each thread is for in Yuan, Yang, Gu (CAV 2018).
// - A thread about to yield or sleep, or whose wait times out, drops below all others, or a loop
//   that waits so would never end.
class PctPolicy final : public Policy {
 public:
  static constexpr int kDepthParam = 0;  // of Plan::params
  static constexpr int kLengthParam = 1;
  static constexpr int kClassicParam = 2;

  void Begin(const Plan& plan) override;
  std::size_t Choose(const Decision& decision) override;
  void Observe(const Event& event, const RunView& view) override;
  bool Watches() const override { return classic_; }

 private:
  // Initial priorities are above 2^61, change points give d-1 .. 1, yields 0, -1, -2 ...
  using Priority = std::int64_t;

  struct ThreadSlot {
    Priority priority = 0;
    bool drawn = false;
    bool dropped = false;  // since it ran last: it offers once to let others go first
  };

  void Drop(ThreadId thread);  // below all others
  ThreadSlot& SlotOf(ThreadId thread);
  Priority PriorityOf(ThreadId thread);
  std::size_t Highest(const Decision& decision);
  // Drops the thread if a change point lies at `place` (from 1).
  bool ChangeAt(std::uint64_t place, ThreadId thread);

  Rng rng_{0};
  std::uint64_t depth_ = 1;
  bool classic_ = false;
  std::uint64_t place_ = 0;
  Priority below_all_ = 0;
  std::vector<std::uint64_t> points_;  // [i]: place of the (i+1)th change point
  std::vector<ThreadSlot> slots_;
};

std::unique_ptr<Policy> MakePctPolicy();
// The length of a run, by a profile: the plan's depth and form are there already.
void PreparePct(const Profile& profile, Plan& plan);
std::unique_ptr<Search> MakePctSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_PCT_H_
