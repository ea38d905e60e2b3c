// SURW: uniform over the orders of the operations on one shared object, another object in every
// run; the other operations are ordered at random around them.
//
// "Selectively Uniform Concurrency Testing" (ASPLOS 2025).
#ifndef HEDDLE_STRATEGY_SURW_H_
#define HEDDLE_STRATEGY_SURW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "strategy/event_priorities.h"
#include "strategy/strategy.h"
#include "strategy/thread_weights.h"

namespace heddle {

// The run's target is drawn from the objects that the profile saw shared, in proportion to their
// accesses. At any time one thread is intended to make the next operation on the target, drawn by
// the number of them it has left; a thread that comes to one without being intended is held until
// the intended one has made its own. The intention is dropped where it is vain: its thread waits
// for somebody else's operation on the target (of a lock: for whoever is held before the unlock),
// all who can go on are held (the counts were wrong), or those who are not do nothing but wait,
// yielding or sleeping, for one who is.
//
// Which waiter wakes and how an operation ends is drawn uniformly.
class SurwPolicy final : public Policy {
 public:
  void Begin(const Plan& plan) override;
  std::size_t Choose(const Decision& decision) override;
  void Observe(const Event& event, const RunView& view) override;
  bool Watches() const override { return true; }

  // A target that may be drawn: `first` .. `first + count` in the rows of all targets.
  struct Target {
    std::uint64_t key = 0;
    std::uint64_t accesses = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

 private:
  bool IsTarget(ObjectId object, const RunView& view) const;
  bool IsHeld(ThreadId thread) const { return thread < held_.size() && held_[thread] != 0; }
  void Hold(ThreadId thread);
  void ReleaseAll();
  void DropIntention();
  ThreadId DrawIntended(const RunView& view);
  bool WaitsForTarget(ThreadId thread, const RunView& view) const;
  // Operations on the target that the thread still has: by the profile, and at least the one before
  // it, for the profile's runs need not be like this one.
  std::uint64_t LeftOn(ThreadId thread, const RunView& view);

  EventPriorities priorities_;
  std::vector<Target> targets_;
  std::vector<PathWeight> rows_;
  std::uint64_t target_ = 0;  // key
  bool has_target_ = false;
  ThreadWeights weights_;
  ThreadId intended_ = kNoThread;
  std::uint32_t stops_ = 0;  // offered since the priorities were last drawn
  std::vector<std::uint8_t> held_;
};

std::unique_ptr<Policy> MakeSurwPolicy();
// What the policy needs of a profile.
void PrepareSurw(const Profile& profile, Plan& plan);
std::unique_ptr<Search> MakeSurwSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_SURW_H_
