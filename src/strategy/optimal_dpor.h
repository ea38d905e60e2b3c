// Every class of runs exactly once, with memory that does not grow with their number. (But where
// readers wait for each other while a writer waits for them: see optimal_dpor_readers.cc.)
//
// A fixed rule (strategy/road.h) says at every prefix P of a run whose turn it is. The operation x
// of that thread happens, in any class that goes on from P, behind some set S of other threads'
// events that must come before it: no two classes with different S are the same, and whatever S is,
// what remains is a prefix P S x of which the same can be said. So a class *is* its list of blocks
// (S, x) (events of S came early, x in its turn), and all classes form a tree without any double.
// Where S disables x (it took the lock), the block ends without x.
//
// The sets S are found by races. A run E with the block (S, x) that shows an event e of another
// thread racing with x gives the block (S K e, x), where K is what e needs that is not in P S. Many
// runs show the same; the one that is responsible is the one in which everything behind x follows
// the rule, but for what K e forces: no event outside K e came early. And many orders of adding to
// S give the same set; the last to be added is, among those that nothing in S follows, that of the
// last thread. Both conditions are seen from E alone, so nothing needs to be remembered (as in
// TruSt, Kokologiannakis et al. POPL 2022, and POP, Abdulla et al. CAV 2024, whose idea it is to
// have one responsible run; the blocks are ours). A step of the search moves events to earlier
// blocks only, so a chain of them is at most quadratic in the length of a run, and so is the
// memory.
//
// Which waiter is woken belongs to a signal, which message is taken to a receive. The rule takes
// the first; the run in which everything behind the event follows the rule is responsible for the
// others.
#ifndef HEDDLE_STRATEGY_OPTIMAL_DPOR_H_
#define HEDDLE_STRATEGY_OPTIMAL_DPOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/descent_pool.h"
#include "strategy/road.h"
#include "strategy/run_order.h"
#include "strategy/strategy.h"

namespace heddle {

// Several plans may be out at a time: the set of runs made is the same in any order of Learn. A run
// that left its road, was cut short or lost records leaves classes unknown: the search goes on, but
// is never Complete.
class OptimalDporSearch final : public Search {
 public:
  explicit OptimalDporSearch(const SearchOptions& options)
      : seed_(options.seed), estimates_(options.estimates) {
    Restart();
  }

  std::optional<Plan> Next() override;
  void Learn(const Plan& plan, const RunTrace& trace) override;
  bool WantsWholeRuns() const override { return true; }
  // By random descents (strategy/descents.h).
  RunEstimate EstimatedRuns() const override;
  // Each run's weight is shared by the runs it leads to and itself (Kilby et al. 2006): there from
  // the first run on, and often much too high, because most runs lead to few others.
  double Explored() const override { return state_.explored; }
  bool Complete() const override;
  void Restart() override;
  std::string Save() const override;
  Status Load(std::string_view state) override;

  // Runs that were abandoned because what should have been possible was not.
  std::uint64_t blocked_runs() const { return state_.blocked; }
  std::uint64_t lost_runs() const { return state_.lost; }
  std::size_t frontier() const { return state_.work.size() + state_.pool.size(); }

 private:
  using Step = RunOrder::Step;

  enum class Role : std::uint8_t {
    kTurn,   // it was its thread's turn
    kEarly,  // of some S
    kLast,   // of an S behind which x did not come
    kAside,  // runs by itself: nobody decides
  };
  enum class Share : std::uint8_t {
    kFree,
    kKept,      // belongs to all runs that are made from this one by leaving out readers
    kMayLeave,  // a reader gives back the lock, and may be left out
  };
  // A run to make.
  struct Work {
    std::vector<Answer> prefix;
    std::vector<Role> roles;  // of the events before the road begins
    Road road;
    // Where the road lets a writer in before a reader: what each of its events is to the readers
    // that it lets in before them.
    std::vector<Share> shares;
    double weight = 1;  // of all runs
    Descents::Node node = Descents::kNoNode;
  };
  struct State {
    std::vector<Work> work;                     // a stack
    DescentPool<Work> pool;                     // instead of the stack while descents are made
    std::size_t pooled = 0;                     // bytes that were put there, roughly
    std::map<std::uint64_t, Work> outstanding;  // by run
    std::uint64_t given = 0;
    std::uint64_t blocked = 0;
    std::uint64_t lost = 0;
    double explored = 0;  // of all runs, by weight
  };
  // How an event that races with x is known to.
  enum class Seen : std::uint8_t {
    kDone,     // it was carried out right behind x
    kBlocked,  // x kept it from being carried out
  };

  bool StartAnewWithout(const RunTrace& trace);
  bool AssignRoles(const Work& work, const RunTrace& trace);
  bool IsInVain(const Work& work, const RunTrace& trace) const;
  static constexpr Step kAtOnce = 8;  // roles
  static bool HasEarly(const Role* roles);
  void FindOddEvents(const RunTrace& trace);
  void ReverseRaces(const RunTrace& trace);
  void ReverseRacesOf(Step e, const RunTrace& trace);
  void TryImmediate(Step e, const RunTrace& trace);
  void TryBlocked(Step e, const RunTrace& trace);
  bool CouldRunBefore(Step e, Step x);
  bool BeginsWait(Step x, Step e) const;
  bool IsReadyBefore(Step e, Step x) const;
  bool Disables(Step x, Step e) const;
  // What `e` needs beside x lies before `end`.
  void TryReversal(Step x, Step e, Seen seen, Step end, const RunTrace& trace) {
    if (end > x + 1 || !IsBeforeLastOfS(x, e)) ReverseRace(x, e, seen, end, trace);
  }
  void ReverseRace(Step x, Step e, Seen seen, Step end, const RunTrace& trace);
  void FindBlock(Step x);
  // Where nothing is needed but `e`, most are not the last one for this reason: the last event of S
  // is one of a later thread, and nothing follows it.
  bool IsBeforeLastOfS(Step x, Step e) {
    if (block_.x != x) FindBlock(x);
    const Step y = block_.last;
    return block_.rank > order_.RankOf(order_[e].thread) && !order_.PrecedesStart(y, e) &&
           !order_.WouldDepend(y, e);
  }
  bool IsLastOf(Step x, Step e, const std::vector<Step>& needed);
  void AppendRoad(Step e, const RunTrace& trace, Road* road) const;
  // Of optimal_dpor_readers.cc.
  bool IsShutOut(Step reader, Step at) const;
  bool CanOnlyRepeat(Step event, const RunTrace& trace) const;
  void FindRepetition(const RunTrace& trace);
  void TryWriterBefore(Step x, Step e, const RunTrace& trace);
  void LeaveOutReaders(const Work& work, const RunTrace& trace);
  void LeaveOut(std::size_t from, const RunTrace& trace);
  bool ComesAlong(Step k) const;
  bool LetsWriterIn() const;
  bool HasAllKept() const;
  void AddSharing(std::size_t may_leave, const RunTrace& trace);
  // Of optimal_dpor_looks.cc.
  std::uint8_t NotedWithout(ObjectId channel, Step e, Step x) const;
  bool FindsReadyWithout(Step look, Step x);
  void TryBlockedLook(Step look, const RunTrace& trace);
  void TryCuts(Step x, Step look, std::size_t member, const RunTrace& trace);
  bool AreCutsClosed(Step x, Step look) const;
  bool IsNeededForCuts(Step k) const;
  bool IsKeptFromBefore(Step look, Step e);
  std::uint8_t NotedBeforeEarly(Step look, ObjectId channel) const;
  bool MayHideFromPolls(Step x) const;
  bool IsFirstPoll(Step x);
  void VaryOutcomes(const Road& road, const RunTrace& trace);
  // Of optimal_dpor_timeouts.cc.
  void TryTimeout(Step e, const RunTrace& trace);
  void TryTimeoutsBehindReads(const RunTrace& trace);
  void TryTimeoutBehindReads(Step e, const RunTrace& trace);
  void TryTimeoutBehind(const std::vector<Step>& reads, Step e, const RunTrace& trace);
  bool IsLastTimeout(Step e) const;
  void AddTimeout(Step e, const RunTrace& trace);
  void TrySignal(Step e, const RunTrace& trace);
  Work* NewWork();
  Work TakeWork();
  void Pool(Descents::Node node, std::size_t before);
  void ShareWeight(double weight, std::size_t before);
  Work* WorkUpTo(Step event, const RunTrace& trace);
  std::size_t DecisionsBefore(Step event, const RunTrace& trace) const;
  void SetThen(Step x, const RunTrace& trace, Road* road) const;

  const std::uint64_t seed_;
  const bool estimates_;
  // Threads that hung where nobody sees it while others could have gone on. By the rule they come
  // last, so that every run shows what the others do before it hangs.
  LateThreads late_ = {};
  State state_;
  std::vector<Work> spare_;  // whose memory is used again

  // Of the run being learnt.
  RunOrder order_;
  std::vector<Role> roles_;
  Step road_end_ = 0;      // from here on all goes by the rule
  std::vector<Step> odd_;  // events that came early or woke another than the rule says
  std::vector<Step> odd_outcome_;
  std::vector<Step> needed_;
  // The S of the block that was looked at last.
  struct Block {
    Step x = RunOrder::kNone;
    Step last = RunOrder::kNone;  // event of it; kNone: it is empty
    std::uint32_t rank = 0;       // of that one's thread: above that of others only if there is one
  };
  Block block_;
  // Of a look that is blocked: its channels, the last event on each, and those of them that are
  // needed, with what happens before them.
  std::vector<RunOrder::Channel> members_;
  std::vector<Step> reached_;
  std::vector<Step> cuts_;
  std::vector<Step> takers_;  // that were tried
  std::uint32_t cuts_tried_ = 0;
  struct Polled {
    Step x;
    std::vector<Step> needed;
  };
  std::vector<Polled> polled_;  // reversals with the poll at hand
  // Of a look that is kept from running: its channels, those of what keeps it, what came early, and
  // what of that is part of it.
  std::vector<RunOrder::Channel> looked_, channels_;
  std::vector<Step> early_;
  std::vector<bool> is_part_;
  std::vector<Step> leaving_;  // readers of the group at hand giving back the lock, last first
  // The event from which on the run is one that is also made elsewhere, or kNone.
  Step repeats_from_ = RunOrder::kNone;
  // A writer that is let in before a reader, behind others.
  struct Sharing {
    Step at = 0;     // what comes behind this event is moved
    int inside = 0;  // readers then
    Step writer = 0;
    std::vector<Step> leaving;  // readers giving back the lock that may be left out, last first
    std::vector<Step> along;    // those that come before the writer
    std::vector<Step> kept;     // events that must
    Road then;                  // without steps
  };
  Sharing sharing_;
};

std::unique_ptr<Search> MakeOptimalDporSearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_OPTIMAL_DPOR_H_
