// How many operations each thread still has before it, those of children not yet created included.
//
// The counts come from a profile, by thread path, in Plan::data; another run may have more or
// fewer.
#ifndef HEDDLE_STRATEGY_THREAD_WEIGHTS_H_
#define HEDDLE_STRATEGY_THREAD_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "strategy/profile.h"
#include "trace/plan.h"
#include "trace/records.h"

namespace heddle {

// One row of the table: a thread's total, with that of all its descendants.
struct PathWeight {
  std::uint64_t path = 0;
  std::uint64_t weight = 0;
};

// The rows for a profile, sorted by path. `count` gives a thread's own operations, summed over the
// profile's runs; the table has the average, rounded up.
std::vector<PathWeight> WeightsOf(const Profile& profile,
                                  const std::function<std::uint64_t(std::uint64_t path)>& count);

// Follows one run. The paths are found again from the creations that are observed.
class ThreadWeights {
 public:
  // `rows` sorted by path; must stay valid during the run.
  void Begin(std::span<const PathWeight> rows);

  // How many threads there are by now; before the first question about any of them.
  void Know(std::size_t thread_count);

  // Operations left; 0 when the thread should have none.
  std::uint64_t Left(ThreadId thread) {
    Know(thread + std::size_t{1});
    return threads_[thread].weight;
  }

  // One operation fewer.
  void Executed(ThreadId thread) {
    Know(thread + std::size_t{1});
    if (threads_[thread].weight > 0) --threads_[thread].weight;
  }

  // The newest of `thread_count` threads was created by `parent`: moves its share from the parent
  // to the child, which is returned. Threads that nobody was seen creating count as the main
  // thread's.
  ThreadId Created(ThreadId parent, std::size_t thread_count);

 private:
  struct Slot {
    std::uint64_t path = 0;
    std::uint64_t weight = 0;
    std::uint32_t children = 0;
  };

  std::uint64_t WeightAt(std::uint64_t path) const;
  void AddChild(ThreadId parent);

  std::span<const PathWeight> rows_;
  std::vector<Slot> threads_;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_THREAD_WEIGHTS_H_
