// Systematic testing with backtrack sets: the framework of Wang, Said and Gupta, "Coverage Guided
// Systematic Concurrency Testing" (ICSE 2011), Algorithms 2 to 5, and its instances.
//
// A run is a path through a tree of decisions. Along it, the next operation t of every live thread
// is held against the latest event s that is dependent on it, may be enabled together with it and
// does not happen before it: the decision that chose s gets more options to try,
// - baseline: all of them;
// - dpor: one that leads to t, or all where none is known to (Flanagan and Godefroid, POPL 2005);
// and with HaPSets (strategy/hapset.h) only where the order "t before s" has not been seen yet.
//
// Differs from the paper: its UPDATEBACKTRACK looks at enabled threads only. That misses the third
// class of two locks taken in opposite orders: where both threads hold one lock, nobody is enabled,
// and the race for the lock that one of them could not take is never looked at. As in the work of
// Flanagan and Godefroid, the next operation of every thread counts, enabled or not.
#ifndef HEDDLE_STRATEGY_BACKTRACK_H_
#define HEDDLE_STRATEGY_BACKTRACK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strategy/goals.h"
#include "strategy/hapset.h"
#include "strategy/run_order.h"
#include "strategy/strategy.h"
#include "trace/call_sites.h"

namespace heddle {

enum class BacktrackRule : std::uint8_t { kAllOptions, kOneThatLeadsThere };

struct BacktrackOptions {
  std::string_view name;  // in the registry
  BacktrackRule rule = BacktrackRule::kAllOptions;
  bool guided = false;                          // by HaPSets
  std::uint32_t most_preemptions = UINT32_MAX;  // in a run
  std::uint64_t learning_runs = 0;              // random ones, before the search (Algorithm 1)
  std::uint64_t call_sites = kUsualCallSites;   // that tell statements apart
};

// Several plans may be out at a time. A run that did not follow its prefix, was cut short or lost
// records leaves part of the tree unknown: the search goes on, but is never Complete; nor is it
// when HaPSets or the bound have left anything out.
class BacktrackSearch final : public Search {
 public:
  BacktrackSearch(const SearchOptions& search, const BacktrackOptions& options);

  std::optional<Plan> Next() override;
  void Learn(const Plan& plan, const RunTrace& trace) override;
  bool WantsWholeRuns() const override { return true; }
  // Not guided: backtrack_size.cc.
  RunEstimate EstimatedRuns() const override;
  bool Complete() const override;
  std::string Remark() const override;
  void Restart() override;
  std::string Save() const override;
  Status Load(std::string_view state) override;

  const HapSets* LearntHapSets() const override {
    return options_.guided ? &state_.hapsets : nullptr;
  }
  void KnowHapSets(const HapSets& sets) override;

  const HapSets& hapsets() const { return state_.hapsets; }
  std::size_t kept_nodes() const { return state_.live; }

 private:
  using Step = RunOrder::Step;
  using Index = std::uint32_t;
  static constexpr Index kNoNode = 0xffffffff;
  static constexpr int kMostOptions = 64;

  // A decision that was met, and what has been and is to be tried there.
  struct Node {
    Index parent = kNoNode;
    std::uint16_t via = 0;  // the parent's option
    std::uint16_t options = 0;
    std::uint32_t depth = 0;
    std::uint32_t references = 0;
    std::uint32_t preemptions = 0;  // on the way here
    std::uint64_t runs = 0;         // that came by
    ThreadId current = kNoThread;
    bool current_enabled = false;
    bool is_thread = true;
    std::uint64_t among = 0;  // the options' threads
    std::uint64_t done = 0;   // options tried or given out, a bit set
    std::uint64_t todo = 0;
  };
  struct Departure {
    Index node = kNoNode;  // kNoNode: the first run
    std::uint16_t option = 0;
    HapPair pair = {};  // guided: what it is for
  };
  struct State {
    std::vector<Node> nodes;
    std::vector<Index> free;
    std::size_t live = 0;
    std::set<std::pair<std::uint32_t, Index>> open;  // (depth, node) with something to do
    std::map<std::uint64_t, Departure> outstanding;  // by run
    HapSets hapsets;
    HapSets shown;   // not seen, but equivalent runs show it
    HapSets serial;  // all of one thread was seen before all of another
    // Which waiter a signal reached, who took the lock before it did, and who took it first of all.
    HapSets woken;
    HapSets crossed;  // two sections, the second the other way round
    Goals goals;
    std::uint64_t given = 0;
    std::uint64_t learnt = 0;  // learning runs
    std::uint64_t lost = 0;
    bool started = false;  // the first run was given out
    bool pruned = false;   // by HaPSets or the bound
  };

  Index Add(const Node& node);
  void Release(Index node);
  void AddTodo(Index node, std::uint64_t options);
  std::vector<Answer> PathTo(Index node) const;
  static std::uint64_t OptionsOfThreads(const Node& node, std::uint64_t threads);
  std::uint64_t Affordable(const Node& node, std::uint64_t options) const;

  std::optional<Departure> NextOpen();
  void GoRoundHang(const RunTrace& trace);
  void EnterPath(const Departure& from, const RunTrace& trace);
  void WalkAlong(std::size_t from, const RunTrace& trace);
  void LookBack(Step t, const RunTrace& trace);
  bool Consider(Step s, Step t, const RunTrace& trace);
  bool MightTimeOutBefore(Step e, Step t) const;
  bool MayRace(Step s, Step t) const;
  std::uint64_t WaysTo(Step s, Step t);
  void BacktrackTo(Step s, ThreadId thread, const RunTrace& trace);

  // Guided (backtrack_guided.cc).
  HapPair PairOf(Step s, Step t, const RunTrace& trace) const;
  bool ConsiderPair(Step s, Step t, const RunTrace& trace);
  void AddGoals(Index node, std::uint64_t options, const HapPair& pair, Risk risk);
  std::optional<Departure> NextGoal();
  void TryAgain(const Departure& from);
  bool IsCovered(const HapPair& pair) const;
  HapStatement StatementOf(Step step, const RunTrace& trace) const;
  void LearnHapSets(Step event, const RunTrace& trace);
  void LearnRun(const RunTrace& trace);
  void LearnSerialOrders(const RunTrace& trace);
  // Whom signals reach (backtrack_woken.cc).
  void LearnWoken(const RunTrace& trace);
  void CollectWaits();
  void ConsiderWaiters(Step s, Step t, const HapPair& pair, const RunTrace& trace);
  void LearnOvertaking(Step e, Step s, const HapPair& pair);
  void LearnFirst(Step e, const RunTrace& trace);
  struct Passing {  // of one thread, then of another: sections under one lock, or accesses
    Step first = RunOrder::kNone;
    Step second = RunOrder::kNone;
  };
  HapPair CrossingOf(Step statement, Step before, const Passing& passed,
                     const RunTrace& trace) const;
  void LearnCrossings(const RunTrace& trace);
  bool IsStatement(Step step) const;
  Risk RiskOf(Step s, Step t) const;
  // Locks that threads hold (backtrack_locks.cc).
  static constexpr std::uint32_t kHoldsNone = 0xffffffff;
  struct HeldLock {  // in held_locks_
    Step taken = RunOrder::kNone;
    std::uint32_t others = kHoldsNone;  // taken before
  };
  struct HeldByThread {
    std::uint8_t count = 0;
    std::uint32_t last = kHoldsNone;
  };
  struct Taking {
    ThreadId thread = kNoThread;
    ObjectId lock = kNoObject;
    Step step = RunOrder::kNone;
    friend auto operator<=>(const Taking&, const Taking&) = default;
  };
  void CountHeldLocks();
  std::uint32_t Hold(Step taken, std::uint32_t others);
  std::uint32_t Without(ObjectId object, std::uint32_t list);
  Step TookHeld(Step step, ObjectId lock) const;
  Step LastTaking(ThreadId thread, ObjectId lock, Step end) const;
  // Rings of locks (backtrack_rings.cc).
  struct Nesting {  // a lock that is taken while another one is held
    Step outer = RunOrder::kNone;
    Step inner = RunOrder::kNone;
  };
  void LearnRings(const RunTrace& trace);
  void CollectNestings();
  void CloseRing(const RunTrace& trace);
  bool WaitsAt(const Nesting& one, const Nesting& other) const;
  bool HaveCommonLock(Step a, Step b) const;
  void TurnAside(const RunTrace& trace);
  // Orders that this run hides (backtrack_hidden.cc).
  void LookBehind(Step t, const RunTrace& trace);
  Step LockBetween(Step s, Step t, Step from) const;
  bool IsRuledOut(Step s, Step t, Step barrier) const;
  // Variables that belong together (backtrack_woven.cc).
  void LearnWoven(const RunTrace& trace);
  bool IsBareAccess(Step step) const;

  const std::uint64_t seed_;
  const bool time_waits_;
  const BacktrackOptions options_;
  HapSets known_;  // before this search
  State state_;

  // Of the run being learnt.
  RunOrder order_;
  std::vector<Index> path_;           // nodes, by decision
  std::vector<Index> node_of_event_;  // kNoNode: nothing was decided
  std::vector<Step> next_of_thread_;
  std::vector<Step> next_;            // by event: its thread's next step
  std::vector<std::uint8_t> held_;    // by step: locks its thread holds then
  std::vector<std::uint32_t> holds_;  // by step: which these are
  std::vector<HeldLock> held_locks_;
  std::vector<HeldByThread> of_thread_;
  std::vector<Taking> takings_;  // in order
  std::vector<Step> waits_;      // for conditions
  std::vector<Nesting> nestings_;
  std::vector<std::size_t> ring_;  // of nestings
  int ring_steps_ = 0;
  std::vector<Step> earliest_;              // by thread: on the way back from an event
  std::vector<std::uint8_t> is_recursive_;  // by object: somebody locked it who held it
  std::vector<Step> first_of_thread_, last_of_thread_;
  std::vector<Passing> passings_;      // by pair of threads: the last
  std::vector<std::uint64_t> behind_;  // by thread: threads with an event that one of its follows
};

std::unique_ptr<Search> MakeBaselineSearch(const SearchOptions& options);
std::unique_ptr<Search> MakeDporSearch(const SearchOptions& options);
std::unique_ptr<Search> MakeHapsetSearch(const SearchOptions& options);
// Why these parameters do not go together; empty = they do.
std::string HapsetParamsError(const StrategyParams& params);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_BACKTRACK_H_
