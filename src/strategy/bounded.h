// Every interleaving that costs no more than a bound, cheapest first: preemption bounding and delay
// bounding.
//
// A run replays a prefix and goes on as strategy/nonpreemptive.h does; every other option of a
// decision behind the prefix is a run to make, at a cost:
// - pcb: 1 where the thread that ran would have gone on (a preemption), otherwise nothing
//   (Musuvathi and Qadeer, iterative context bounding, PLDI 2007);
// - delay: the number of options passed over, in turn from the one that the rule takes (Emmi,
//   Qadeer and Rakamaric, delay-bounded scheduling, POPL 2011).
// All runs of one cost are made before the first of the next. No interleaving is run twice.
//
// A run leaves as many runs to make as it has decisions, so they are not listed: what is kept of it
// is its stretches of equal answers, and for each how far its alternatives have been tried.
#ifndef HEDDLE_STRATEGY_BOUNDED_H_
#define HEDDLE_STRATEGY_BOUNDED_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/answer_paths.h"
#include "strategy/forecast.h"
#include "strategy/hidden_time.h"
#include "strategy/strategy.h"

namespace heddle {

enum class Cost : std::uint8_t { kPreemptions, kDelays };

// Several plans may be out at a time; a dearer run is given out only when no cheaper one is
// outstanding, because that one may leave more cheap ones.
class BoundedSearch final : public Search {
 public:
  BoundedSearch(const SearchOptions& options, Cost cost);

  std::optional<Plan> Next() override;
  void Learn(const Plan& plan, const RunTrace& trace) override;
  bool WantsWholeRuns() const override { return true; }
  // Within the bound, by what the runs so far say of those behind them (strategy/forecast.h).
  RunEstimate EstimatedRuns() const override;
  bool Complete() const override;
  std::string Remark() const override;
  void Restart() override;
  std::string Save() const override;
  Status Load(std::string_view state) override;

  // For tests of the memory bound.
  std::size_t kept_stretches() const { return state_.paths.size(); }

 private:
  // A path to run as it is.
  struct Whole {
    AnswerPaths::Node path = AnswerPaths::kRoot;
    double expected = 0;  // runs that begin so, itself included; 0 = nobody knows
  };
  // A run that is out.
  struct Out {
    Whole whole;
    std::uint32_t cost = 0;
  };
  // Runs to make: at each of the first `left` decisions of a stretch another answer, the last
  // decision first.
  struct Alternatives {
    AnswerPaths::Node stretch = AnswerPaths::kRoot;
    std::uint32_t left = 0;
    std::uint16_t option = 0;  // the next one to try
    bool only = false;         // it alone, of every decision; else all but the answer
    // Runs that begin with each: at the first decision and the last of the stretch. Between them
    // by a straight line.
    double expected_first = 0;
    double expected_last = 0;
  };
  struct Level {
    std::vector<Alternatives> alternatives;  // a stack
    std::vector<Whole> whole;                // the root, reloaded ones
  };
  struct State {
    AnswerPaths paths;
    std::map<std::uint32_t, Level> levels;     // by cost
    std::map<std::uint64_t, Out> outstanding;  // by run
    Forecast forecast;
    HiddenTime hidden_time;
    std::uint64_t given = 0;
    std::uint64_t lost = 0;
    std::uint32_t reached = 0;  // dearest run given out
    bool cut = false;           // something costs more than the bound
  };

  bool CostsTheSame(const DecisionRecord& one, const DecisionRecord& other) const;
  struct Stretch {  // of decisions behind the prefix, whose other options cost the same
    AnswerPaths::Node path = AnswerPaths::kRoot;
    std::size_t first = 0;
    std::size_t end = 0;
  };
  void Leave(const DecisionRecord& decision, std::uint32_t cost, const Stretch& stretch);
  Whole TakeFrom(Level* level);
  double ExpectedOf(const Alternatives& alternatives, std::uint32_t nth) const;
  std::uint32_t OptionsLeft(const Alternatives& alternatives) const;
  bool HasWork() const;
  std::uint32_t CostOf(const DecisionRecord& decision, std::uint16_t option) const;
  std::string_view name() const { return cost_ == Cost::kPreemptions ? "pcb" : "delay"; }

  const std::uint64_t seed_;
  const bool estimates_;
  const Cost cost_;
  const std::uint32_t bound_;
  State state_;
};

std::unique_ptr<Search> MakePcbSearch(const SearchOptions& options);
std::unique_ptr<Search> MakeDelaySearch(const SearchOptions& options);

}  // namespace heddle

#endif  // HEDDLE_STRATEGY_BOUNDED_H_
