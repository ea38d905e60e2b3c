#include "strategy/nonpreemptive.h"

#include "strategy/state_text.h"

namespace heddle {
namespace {

// So many offers to stop, then time passes: a loop that spins before it yields is dear.
constexpr std::uint64_t kPatience = 64;

bool OffersToStop(const Decision& decision) {
  if (decision.view == nullptr || decision.current >= decision.view->pending.size()) return false;
  return OffersToStop(decision.view->pending[decision.current]);
}

// The first option with that outcome, from `begin` on; -1 when there is none.
int First(const Decision& decision, Outcome outcome, std::size_t begin) {
  for (std::size_t i = begin; i < decision.options.size(); ++i) {
    if (decision.options[i].outcome == outcome) return static_cast<int>(i);
  }
  return -1;
}

// The first such option of a thread behind the current one, in cyclic order.
int NextInTurn(const Decision& decision, Outcome outcome) {
  std::size_t behind = 0;
  while (behind < decision.options.size() && decision.options[behind].thread <= decision.current) {
    ++behind;
  }
  const int later = First(decision, outcome, behind);
  return later >= 0 ? later : First(decision, outcome, 0);
}

// The time-out that comes first by the clock; -1 when nobody knows.
int Due(const Decision& decision) {
  if (decision.view == nullptr) return -1;
  for (std::size_t i = 0; i < decision.options.size(); ++i) {
    const Option& option = decision.options[i];
    if (option.outcome == Outcome::kTimeout && option.thread == decision.view->first_due) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

class NonPreemptiveSearch final : public Search {
 public:
  explicit NonPreemptiveSearch(const SearchOptions& options) : seed_(options.seed) {}

  std::optional<Plan> Next() override {
    if (given_) return std::nullopt;
    given_ = true;
    Plan plan;
    plan.run = 1;
    plan.seed = seed_;
    plan.policy = "nonpreemptive";
    return plan;
  }
  void Learn(const Plan& plan, const RunTrace& trace) override {
    (void)plan;
    (void)trace;
  }
  void Restart() override { given_ = false; }

  std::string Save() const override {
    return StateWriter().Word("nonpreemptive").Number(given_ ? 1 : 0).Take();
  }
  Status Load(std::string_view state) override {
    StateReader reader(state);
    reader.Expect("nonpreemptive");
    const bool given = reader.Number(1) != 0;
    if (!reader.ok() || !reader.AtEnd()) return BadState("nonpreemptive");
    given_ = given;
    return Status();
  }

 private:
  const std::uint64_t seed_;
  bool given_ = false;
};

}  // namespace

// Now and then not: one that sleeps for moments would wake a thousand times before the next.
int NonPreemptivePolicy::NextDue(const Decision& decision) {
  return ++wakes_ % kPatience != 0 ? Due(decision) : -1;
}

std::size_t NonPreemptivePolicy::Choose(const Decision& decision) {
  int index = -1;
  if (decision.kind == DecisionKind::kThread) {
    if (!OffersToStop(decision)) {
      index = IndexOfCurrent(decision);
    } else {
      if (++offers_ % kPatience != 0) index = NextInTurn(decision, Outcome::kNormal);
      if (index < 0) index = NextDue(decision);
      // Sleepers in turn: one that sleeps again and again must not keep the others asleep.
      if (index < 0) index = NextInTurn(decision, Outcome::kTimeout);
    }
  }
  if (index < 0) index = First(decision, Outcome::kNormal, 0);
  if (index < 0) index = NextDue(decision);
  if (index < 0) index = NextInTurn(decision, Outcome::kTimeout);
  return index < 0 ? 0 : static_cast<std::size_t>(index);
}

std::unique_ptr<Policy> MakeNonPreemptivePolicy() {
  return std::make_unique<NonPreemptivePolicy>();
}

std::unique_ptr<Search> MakeNonPreemptiveSearch(const SearchOptions& options) {
  return std::make_unique<NonPreemptiveSearch>(options);
}

}  // namespace heddle
