// What every row of the registry promises, checked for every row: run on the abstract machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "simulate/generate.h"
#include "simulate/machine.h"
#include "simulate/paper_programs.h"
#include "strategy/registry.h"
#include "strategy/testing/allocation_count.h"

namespace heddle {

// For the names of parametrised tests.
void PrintTo(const StrategyInfo* info, std::ostream* out) { *out << info->name; }

namespace {

using simulate::Family;
using simulate::Machine;
using simulate::Program;

constexpr int kRuns = 60;

std::vector<Program> Programs() {
  std::vector<Program> programs = {simulate::Figure2(), simulate::Figure3(3, 2)};
  for (const Family& family : simulate::Families()) {
    Rng rng(HashText(family.name) + 4);
    for (int i = 0; i < 3; ++i) programs.push_back(family.make(rng));
  }
  return programs;
}

std::vector<const StrategyInfo*> AllRows() {
  std::vector<const StrategyInfo*> rows = {FindStrategy("nonpreemptive")};
  for (const StrategyInfo& info : Strategies()) rows.push_back(&info);
  return rows;
}

// Every combination a row's parameters allow at their ends, for instance "pct:depth=100".
std::vector<StrategyParams> ParamsOf(const StrategyInfo& info) {
  std::vector<StrategyParams> all = {{}};
  for (const StrategyParam& param : info.params) {
    const std::string values(param.values);
    const std::size_t dots = values.find("..");
    const std::size_t bar = values.find('|');
    const std::size_t split = dots != std::string::npos ? dots : bar;
    const std::string first = values.substr(0, split);
    const std::string last = values.substr(split + (dots != std::string::npos ? 2 : 1));
    for (const std::string& value : {first, last}) all.push_back({{std::string(param.key), value}});
  }
  return all;
}

void ExpectEqualPlans(const std::optional<Plan>& a, const std::optional<Plan>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->run, b->run);
  EXPECT_EQ(a->seed, b->seed);
  EXPECT_EQ(a->policy, b->policy);
  EXPECT_EQ(a->prefix, b->prefix);
  EXPECT_EQ(a->params, b->params);
  EXPECT_EQ(a->data, b->data);
}

// Passes everything on and counts what is allocated after Begin.
class CountingPolicy final : public Policy {
 public:
  explicit CountingPolicy(Policy& policy) : policy_(policy) {}

  void Begin(const Plan& plan) override {
    policy_.Begin(plan);
    watches_from_ = policy_.watches_from();
  }
  std::size_t Choose(const Decision& decision) override {
    const std::uint64_t before = AllocationCount();
    const std::size_t chosen = policy_.Choose(decision);
    counted_ += AllocationCount() - before;
    return chosen;
  }
  void Answered(const Decision& decision, std::size_t chosen) override {
    const std::uint64_t before = AllocationCount();
    policy_.Answered(decision, chosen);
    counted_ += AllocationCount() - before;
  }
  void Observe(const Event& event, const RunView& view) override {
    const std::uint64_t before = AllocationCount();
    policy_.Observe(event, view);
    counted_ += AllocationCount() - before;
    watches_from_ = policy_.watches_from();
  }
  bool Watches() const override { return policy_.Watches(); }

  std::uint64_t counted() const { return counted_; }

 private:
  Policy& policy_;
  std::uint64_t counted_ = 0;
};

class ContractTest : public ::testing::TestWithParam<const StrategyInfo*> {
 protected:
  const StrategyInfo& info() const { return *GetParam(); }

  std::unique_ptr<Search> MakeSearch(const StrategyParams& params = {}) const {
    return info().make_search({.seed = 3, .params = params});
  }
  static std::unique_ptr<Policy> PolicyOf(const Plan& plan) {
    return FindStrategy(plan.policy)->make_policy();
  }

  // Up to `runs` runs, with a call per run before the search learns it.
  template <typename Visit>
  static void Explore(Search& search, Machine& machine, int runs, const Visit& visit) {
    for (int i = 0; i < runs; ++i) {
      const std::optional<Plan> plan = search.Next();
      if (!plan) return;
      const std::unique_ptr<Policy> policy = PolicyOf(*plan);
      machine.Run(*plan, *policy);
      visit(*plan);
      search.Learn(*plan, machine.Trace());
    }
  }
};

TEST_P(ContractTest, TheSamePlanGivesTheSameRunEveryTime) {
  for (const StrategyParams& params : ParamsOf(info())) {
    for (const Program& program : Programs()) {
      Machine machine(program), again(program);
      const std::unique_ptr<Search> search = MakeSearch(params);
      std::map<std::string, std::unique_ptr<Policy>> used;
      Explore(*search, machine, kRuns, [&](const Plan& plan) {
        const std::uint64_t hash = machine.Trace().record.event_hash;
        const std::vector<Answer> answers = AnswersOf(machine.Trace());
        const std::unique_ptr<Policy> fresh = PolicyOf(plan);
        EXPECT_EQ(again.Run(plan, *fresh).event_hash, hash);
        EXPECT_EQ(AnswersOf(again.Trace()), answers);
        std::unique_ptr<Policy>& reused = used[std::string(plan.policy)];
        if (reused == nullptr) reused = PolicyOf(plan);
        EXPECT_EQ(again.Run(plan, *reused).event_hash, hash) << "Begin forgot something";
        EXPECT_EQ(again.Run(plan, *reused).event_hash, hash);
      });
    }
  }
}

TEST_P(ContractTest, ARunIsReplayedByItsAnswersUnderAnyPolicy) {
  for (const Program& program : Programs()) {
    Machine machine(program), again(program);
    const std::unique_ptr<Search> search = MakeSearch();
    Explore(*search, machine, kRuns, [&](const Plan& plan) {
      Plan recording = plan;
      recording.prefix = AnswersOf(machine.Trace());
      const std::unique_ptr<Policy> policy = PolicyOf(plan);
      const RunRecord& replayed = again.Run(recording, *policy);
      EXPECT_EQ(replayed.event_hash, machine.Trace().record.event_hash);
      EXPECT_NE(replayed.outcome, RunOutcome::kDiverged);
    });
  }
}

TEST_P(ContractTest, ASavedSearchGoesOnIdentically) {
  for (const StrategyParams& params : ParamsOf(info())) {
    for (const int stop : {0, 1, 2, 5, 40}) {
      const Program program = simulate::Figure2();
      Machine machine(program);
      const std::unique_ptr<Search> first = MakeSearch(params);
      Explore(*first, machine, stop, [](const Plan&) {});

      const std::unique_ptr<Search> second = MakeSearch(params);
      const Status loaded = second->Load(first->Save());
      ASSERT_TRUE(loaded.ok());
      EXPECT_EQ(second->Save(), first->Save());
      EXPECT_EQ(second->Complete(), first->Complete());
      for (int i = 0; i < 20; ++i) {
        const std::optional<Plan> a = first->Next();
        const std::optional<Plan> b = second->Next();
        ExpectEqualPlans(a, b);
        if (!a) break;
        const std::unique_ptr<Policy> policy = PolicyOf(*a);
        machine.Run(*a, *policy);
        first->Learn(*a, machine.Trace());
        second->Learn(*b, machine.Trace());
      }
    }
  }
}

TEST_P(ContractTest, AStateThatIsNotItsOwnIsRefused) {
  const std::unique_ptr<Search> search = MakeSearch();
  const std::string state = search->Save();

  for (const std::string& wrong : {std::string(), std::string("x"), state + " 1", "x " + state}) {
    const Status loaded = search->Load(wrong);
    ASSERT_FALSE(loaded.ok()) << wrong;
    EXPECT_THAT(loaded.error().text, ::testing::HasSubstr(std::string(info().name)));
  }
  EXPECT_EQ(search->Save(), state);
}

TEST_P(ContractTest, ARestartedSearchIsAFreshOne) {
  const Program program = simulate::Figure2();
  Machine machine(program);
  const std::unique_ptr<Search> restarted = MakeSearch();
  Explore(*restarted, machine, 25, [](const Plan&) {});
  restarted->Restart();
  const std::unique_ptr<Search> fresh = MakeSearch();

  EXPECT_EQ(restarted->Save(), fresh->Save());
  EXPECT_EQ(restarted->Independent(), fresh->Independent());
  for (int i = 0; i < 25; ++i) {
    const std::optional<Plan> a = restarted->Next();
    const std::optional<Plan> b = fresh->Next();
    ExpectEqualPlans(a, b);
    if (!a) break;
    const std::unique_ptr<Policy> policy = PolicyOf(*a);
    machine.Run(*a, *policy);
    restarted->Learn(*a, machine.Trace());
    fresh->Learn(*b, machine.Trace());
  }
}

TEST_P(ContractTest, RunsAreNumberedFromOne) {
  Machine machine(simulate::Figure2());
  const std::unique_ptr<Search> search = MakeSearch();
  std::uint64_t expected = 0;
  Explore(*search, machine, kRuns, [&](const Plan& plan) { EXPECT_EQ(plan.run, ++expected); });
}

TEST_P(ContractTest, OnlyAnExhaustiveSearchIsEverComplete) {
  Program program;
  program.Thread({simulate::Write(0, simulate::Const(1))});
  program.Thread({simulate::Write(0, simulate::Const(2))});
  Machine machine(program);
  const std::unique_ptr<Search> search = MakeSearch();

  Explore(*search, machine, 1000, [](const Plan&) {});

  // auto hands a program that small over to an exhaustive search.
  EXPECT_EQ(search->Complete(), info().exhaustive || info().name == "auto");
}

TEST_P(ContractTest, ANewSeedGivesOtherRunsUnlessNothingIsDrawn) {
  const Program program = simulate::Figure3(3, 2);
  const auto hashes = [&](std::uint64_t seed) {
    Machine machine(program);
    const std::unique_ptr<Search> search = info().make_search({.seed = seed});
    std::vector<std::uint64_t> list;
    Explore(*search, machine, kRuns,
            [&](const Plan&) { list.push_back(machine.Trace().record.event_hash); });
    return list;
  };

  const bool draws =
      !info().exhaustive && info().name != "nonpreemptive" && info().name != "hapset";
  EXPECT_EQ(hashes(1) != hashes(2), draws);
}

TEST_P(ContractTest, AFreshPolicyAllocatesNothingAfterBegin) {
  for (const Program& program : Programs()) {
    Machine machine(program);
    const std::unique_ptr<Search> search = MakeSearch();
    std::uint64_t counted = 0;
    Machine again(program);
    Explore(*search, machine, kRuns, [&](const Plan& plan) {
      const std::unique_ptr<Policy> policy = PolicyOf(plan);
      CountingPolicy counting(*policy);
      again.Run(plan, counting);
      counted += counting.counted();
    });
    EXPECT_EQ(counted, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(AllStrategies, ContractTest, ::testing::ValuesIn(AllRows()),
                         [](const auto& row) {
                           std::string name(row.param->name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace heddle
