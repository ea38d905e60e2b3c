#include "explore/checkpoints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle {
namespace {

constexpr double kProcess = 300e-6;  // seconds a run's process costs
constexpr double kEvent = 0.2e-6;

// A worker that does what it is told, and a clock that says what that costs.
class FakeWorker {
 public:
  explicit FakeWorker(CheckpointMode mode) : checkpoints(mode) {}

  // One event per decision. The run follows the prefix and then takes the first option.
  CheckpointOrder Run(const std::vector<Answer>& prefix, std::size_t length) {
    Plan plan;
    plan.policy = "dfs";
    plan.prefix = prefix;
    const CheckpointOrder order = checkpoints.For(plan);

    std::vector<DecisionRecord> decisions(length);
    for (std::size_t i = 0; i < length; ++i) {
      decisions[i].event = static_cast<std::uint32_t>(i);
      decisions[i].options = 2;
      decisions[i].chosen = i < prefix.size() ? prefix[i].chosen : 0;
    }
    live_.resize(order.keep);
    CheckpointReply reply;
    reply.made_from = order.keep;
    const std::uint64_t from = live_.empty() ? 0 : live_.back().events;
    for (const std::uint32_t at : order.at) {
      if (at >= refuses_from) {
        reply.refusal = CheckpointRefusal::kDescriptors;
        reply.refused_at = at;
        break;
      }
      live_.push_back({.events = at, .decisions = at});
    }
    reply.live = live_;
    reply.run_seconds = static_cast<double>(length - from) * kEvent;
    reply.seconds = reply.run_seconds + kProcess;
    spent += static_cast<double>(live_.size() - order.keep) * kProcess;
    seconds += reply.seconds;
    checkpoints.Made(plan, decisions, reply);
    return order;
  }

  Checkpoints checkpoints;
  std::uint64_t refuses_from = ~std::uint64_t{0};
  double seconds = 0;  // without `spent`
  double spent = 0;

 private:
  std::vector<CheckpointRecord> live_;
};

// All first options but the last one.
std::vector<Answer> BranchAt(std::size_t decision) {
  std::vector<Answer> prefix(decision + 1, Answer{0, 2});
  prefix.back().chosen = 1;
  return prefix;
}

TEST(CheckpointsTest, OffLeavesNone) {
  FakeWorker worker(CheckpointMode::kOff);

  worker.Run({}, 20'000);
  const CheckpointOrder order = worker.Run(BranchAt(19'990), 20'000);

  EXPECT_TRUE(order.at.empty());
  EXPECT_EQ(order.keep, 0u);
  EXPECT_FALSE(order.measure);
}

TEST(CheckpointsTest, OnLeavesThemBeforeTheBranchAndHalfWay) {
  FakeWorker worker(CheckpointMode::kOn);

  worker.Run({}, 20);
  const CheckpointOrder order = worker.Run(BranchAt(10), 20);

  EXPECT_EQ(order.at, (std::vector<std::uint32_t>{5, 10}));
}

TEST(CheckpointsTest, ARunGoesOnFromTheLastCheckpointThatItsPrefixPasses) {
  FakeWorker worker(CheckpointMode::kOn);
  worker.Run({}, 20);
  worker.Run(BranchAt(10), 20);

  // Behind decision 10 the last run took the other option.
  std::vector<Answer> deeper = BranchAt(10);
  deeper.resize(16, Answer{0, 2});
  deeper.back().chosen = 1;
  EXPECT_EQ(worker.Run(deeper, 20).keep, 2u);
  EXPECT_EQ(worker.Run(BranchAt(7), 20).keep, 1u);
  EXPECT_EQ(worker.Run(BranchAt(2), 20).keep, 0u);
  EXPECT_EQ(worker.checkpoints.counts().runs, 2u);
}

TEST(CheckpointsTest, ACheckpointAtTheEndOfThePrefixIsOfNoUse) {
  FakeWorker worker(CheckpointMode::kOn);
  worker.Run({}, 20);
  worker.Run(BranchAt(10), 20);

  // The prefix has ten answers: from decision 10 on the policy decides, which must see it all.
  EXPECT_EQ(worker.Run(std::vector<Answer>(10, Answer{0, 2}), 20).keep, 1u);
}

TEST(CheckpointsTest, AnotherPolicyBeginsAtTheBeginning) {
  FakeWorker worker(CheckpointMode::kOn);
  worker.Run({}, 20);
  worker.Run(BranchAt(10), 20);
  Plan plan;
  plan.policy = "random";
  plan.prefix = BranchAt(12);

  EXPECT_EQ(worker.checkpoints.For(plan).keep, 0u);
}

TEST(CheckpointsTest, WhereOneWasRefusedNoneIsAskedForAgain) {
  FakeWorker worker(CheckpointMode::kOn);
  worker.refuses_from = 8;
  worker.Run({}, 20);
  worker.Run(BranchAt(10), 20);

  const CheckpointOrder order = worker.Run(BranchAt(12), 20);

  for (const std::uint32_t at : order.at) EXPECT_LT(at, 10u);
  EXPECT_EQ(worker.checkpoints.counts().refusal, CheckpointRefusal::kDescriptors);
}

TEST(CheckpointsTest, NeverMoreThanTheWorkerCanKeep) {
  FakeWorker worker(CheckpointMode::kOn);
  worker.Run({}, 200);

  std::vector<Answer> prefix;
  for (int i = 0; i < 20; ++i) {
    prefix.resize(prefix.size() + 8, Answer{0, 2});
    prefix.back().chosen = 1;
    const CheckpointOrder order = worker.Run(prefix, 200);
    EXPECT_LE(order.keep + order.at.size(), kMaxCheckpoints);
  }
}

// 20,000 events of 0.2 us against 0.3 ms: all but the first few runs go on from a checkpoint that
// is so near that what is left costs less than the process.
TEST(CheckpointsTest, AutoSavesALongBeginning) {
  FakeWorker worker(CheckpointMode::kAuto);

  worker.Run({}, 20'000);
  for (std::size_t i = 0; i < 200; ++i) worker.Run(BranchAt(19'999 - i % 20), 20'000);

  const CheckpointCounts& counts = worker.checkpoints.counts();
  EXPECT_GE(counts.runs, 190u);
  EXPECT_LE(counts.left, 8u);
  EXPECT_GE(counts.events_skipped, 190u * 19'000u);
}

TEST(CheckpointsTest, AutoLeavesNoneInShortRuns) {
  FakeWorker worker(CheckpointMode::kAuto);

  worker.Run({}, 100);
  for (std::size_t i = 0; i < 1'000; ++i) worker.Run(BranchAt(99 - i % 50), 100);

  EXPECT_EQ(worker.checkpoints.counts().left, 0u);
}

// Plans that have nothing in common with the run before them: whatever is left is left in vain.
TEST(CheckpointsTest, AutoSpendsNoMoreThanItsShareInVain) {
  FakeWorker worker(CheckpointMode::kAuto);

  for (std::size_t i = 0; i < 1'000; ++i) {
    std::vector<Answer> prefix = BranchAt(9'000);
    for (std::size_t bit = 0; bit < 10; ++bit) {
      prefix[bit].chosen = static_cast<std::uint16_t>(i * 397 >> bit & 1);
    }
    worker.Run(prefix, 10'000);
  }

  EXPECT_LT(worker.spent, 0.03 * worker.seconds);
}

TEST(CheckpointsTest, TheSentenceSaysWhyThereWereNone) {
  CheckpointCounts counts;
  counts.refusal = CheckpointRefusal::kSharedMemory;

  EXPECT_EQ(Describe(counts),
            "Checkpoints were not used: the program has memory that it shares with other "
            "processes.");
}

}  // namespace
}  // namespace heddle
