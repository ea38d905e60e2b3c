// What a search that is guided by HaPSets wants to see next: orders of two statements that no run
// has shown yet, and where a run is to be turned aside to show them.
//
// Differs from the paper, which decides when it meets a race and then goes depth first: here the
// most promising goal is taken first, and dropped if its pair has been seen in the meantime. A pair
// that was aimed at in vain comes behind all that were not, so that the search does not dwell on
// orders that the program's synchronisation rules out; after some tries it is given up.
#ifndef HEDDLE_STRATEGY_GOALS_H_
#define HEDDLE_STRATEGY_GOALS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "strategy/hapset.h"

namespace heddle {

// What the order of two statements can change, most first.
enum class Risk : std::uint8_t {
  kSeen,     // accesses to data, a wait and its signal, a lock taken while another is held
  kSerial,   // all of one thread before all of another
  kThrough,  // locks: seen through what they guard only
  kCrossed,  // two sections that two threads pass in the same order: the second the other way round
  kRing,     // locks, each taken while the one before it in the ring is held
  kHidden,   // as kSeen, where what the threads did before keeps them in order in this run
  kWaiters,  // of one condition: another one is woken, or overtaken before it has the lock again
  kShown,    // as kSeen, where an equivalent run of one that was made shows it
  kWoven,  // two variables that two threads pass in the same order: the second the other way round
  kLast = kWoven,
};

// Take option `option` at decision `node`, in the hope of seeing `pair`.
struct Goal {
  std::uint32_t node = 0;
  std::uint16_t option = 0;
  HapPair pair;

  friend auto operator<=>(const Goal&, const Goal&) = default;
};

class Goals {
 public:
  struct Rank {
    std::uint32_t tries = 0;  // of the same pair, when it was last looked at
    Risk risk = Risk::kSeen;
    std::uint32_t depth = 0;  // of the decision; the deepest first

    // Comes before the number of tries.
    static int Lateness(Risk risk) {
      return risk >= Risk::kShown ? 2 : risk >= Risk::kCrossed ? 1 : 0;
    }
    friend std::strong_ordering operator<=>(const Rank& a, const Rank& b) {
      if (const auto by = Lateness(a.risk) <=> Lateness(b.risk); by != 0) return by;
      if (const auto by = a.tries <=> b.tries; by != 0) return by;
      if (const auto by = a.risk <=> b.risk; by != 0) return by;
      return b.depth <=> a.depth;
    }
    friend bool operator==(const Rank&, const Rank&) = default;
  };
  using Queue = std::set<std::pair<Rank, Goal>>;

  // False: it is there already.
  bool Add(const Goal& goal, Risk risk, std::uint32_t depth) {
    if (!there_.insert(goal).second) return false;
    queue_.insert({Rank{TriesOf(goal.pair), risk, depth}, goal});
    return true;
  }

  // The most promising one, which is not in the list any more.
  std::optional<Goal> Take() {
    while (!queue_.empty()) {
      auto [rank, goal] = *queue_.begin();
      queue_.erase(queue_.begin());
      if (const std::uint32_t tries = TriesOf(goal.pair); tries > rank.tries) {
        rank.tries = tries;
        queue_.insert({rank, goal});
        continue;
      }
      there_.erase(goal);
      return goal;
    }
    return std::nullopt;
  }

  // A run aims at it.
  void Try(const HapPair& pair) { ++tries_[pair]; }
  std::uint32_t TriesOf(const HapPair& pair) const {
    const auto at = tries_.find(pair);
    return at == tries_.end() ? 0 : at->second;
  }

  bool empty() const { return queue_.empty(); }
  const Queue& queue() const { return queue_; }
  const std::map<HapPair, std::uint32_t>& tries() const { return tries_; }
  void SetTries(const HapPair& pair, std::uint32_t tries) { tries_[pair] = tries; }

 private:
  Queue queue_;
  std::set<Goal> there_;
  std::map<HapPair, std::uint32_t> tries_;
};

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_GOALS_H_
