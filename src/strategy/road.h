// A run that is sent down a given road and then goes by a fixed rule.
//
// The road is named by threads (their path hashes), not by answers: how many options there will be
// on a way that nobody has gone is not known in advance. It begins behind the plan's prefix.
//
// The rule behind the road depends on the partial order of the run alone, not on the order in which
// independent events came: the first thread by path that can go on. One that offers to stop (a
// yield) gives way to those that do not; a time-out fires only where nothing else can go on; among
// several of these the thread that has done least goes on. From a lock that a writer is about to
// take, readers are held back behind all but time-outs and endless loops: they get in before it
// where a road says so (strategy/optimal_dpor_readers.cc). Threads that the plan calls late go on
// where none of the others but those that time out can. So equal prefixes get equal
// continuations, which optimal-dpor stands on.
#ifndef HEDDLE_STRATEGY_ROAD_H_
#define HEDDLE_STRATEGY_ROAD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "strategy/strategy.h"
#include "trace/channel_use.h"

namespace heddle {

// Which port a selective receive is on is known only behind it; what an operation on descriptors
// touches, and so what kind of a poll it is, may be changed by others.
constexpr bool NamesItsObject(OpKind kind) { return kind != OpKind::kPortReceive && !IsIo(kind); }
constexpr bool AreSameKind(OpKind a, OpKind b) { return a == b || (IsIo(a) && IsIo(b)); }

// One thing to do: let a thread make its next step, or answer what belongs to the step before.
struct RoadStep {
  static constexpr std::uint64_t kTakes = 2;

  std::uint64_t path = 0;  // hash
  // 1: `path` is whom the step before wakes. kTakes + n: the step before receives a message of
  // `path`, the nth of those it could.
  std::uint64_t wakes = 0;

  friend bool operator==(const RoadStep&, const RoadStep&) = default;
};

struct Road {
  std::uint64_t begins = 0;  // number of events before its first step
  std::vector<RoadStep> steps;
  // Behind the road: this thread, if its next operation still is this one and can be done.
  std::uint64_t then_path = 0;  // 0 = nobody
  OpKind then_kind = OpKind::kNone;
  std::uint64_t then_key = 0;  // of its object
};

// Threads that the rule lets go on behind all others: their path hashes; 0 = none.
using LateThreads = std::array<std::uint64_t, 4>;

void WriteRoad(const Road& road, const LateThreads& late, Plan* plan);

class RoadPolicy final : public Policy {
 public:
  void Begin(const Plan& plan) override;
  std::size_t Choose(const Decision& decision) override;
  void Observe(const Event& event, const RunView& view) override;
  bool Watches() const override { return true; }
  bool CanGoOnWith() const override { return true; }
  void GoOnWith(const Plan& plan) override;

 private:
  // Which kind of option the rule prefers.
  enum Preference : std::uint8_t { kFirst, kGivesWay, kHeldBack, kLate, kTimesOut };

  struct State {
    std::size_t at = 0;       // step of the road
    std::uint32_t known = 1;  // threads; main is
    bool lost = false;
    bool then_open = true;
    bool in_order = true;  // by path, the threads come as they were made
  };

  void Read(const Plan& plan);
  void Meet(const RunView& view);
  bool Before(ThreadId a, ThreadId b, const RunView& view) const;
  bool OnRoad(const Decision& decision) const {
    return decision.step >= road_.begins && state_.at < road_.steps.size();
  }
  bool IsLate(ThreadId thread, const RunView& view) const;
  Preference PreferenceOf(const Option& option, const RunView& view) const;
  std::size_t ByRule(const Decision& decision) const;
  [[gnu::noinline]] std::size_t ByRuleAmongAll(const Decision& decision) const;
  std::size_t OrHeldBack(const Decision& decision, std::size_t gives_way) const;
  static std::size_t IndexOf(const Decision& decision, std::uint64_t path);
  std::size_t Then(const Decision& decision) const;
  std::size_t Message(const Decision& decision) const;

  Road road_;
  LateThreads late_ = {};
  State state_;
};

std::unique_ptr<Policy> MakeRoadPolicy();

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_ROAD_H_
