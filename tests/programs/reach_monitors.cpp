// Dining philosophers without deadlock in an SU monitor (Table 1), and a gate in an SC monitor.
// RUN: heddle run --strategy=reachability -- su
// EXPECT: clean, complete, output~30 SYN-sequences
// RUN: heddle run --strategy=reachability -- sc
// EXPECT: clean, complete, output~10 SYN-sequences
#include <heddle/heddle.h>
#include <heddle/sync.h>

#include <string>

namespace {

enum State { kThinking, kHungry, kStarving, kEating };
constexpr int kCount = 3;

heddle::MonitorSU monitor;
heddle::Condition self[kCount] = {heddle::Condition(monitor), heddle::Condition(monitor),
                                  heddle::Condition(monitor)};
State state[kCount];

void Test(int k) {
  const State left = state[(k + kCount - 1) % kCount];
  const State right = state[(k + 1) % kCount];
  if ((state[k] == kHungry || state[k] == kStarving) && left < kStarving && right < kStarving) {
    state[k] = kEating;
    self[k].Signal();
  } else if (state[k] == kHungry && left != kStarving && right != kStarving) {
    state[k] = kStarving;
  }
}

void Dine(int i) {
  monitor.Enter();
  state[i] = kHungry;
  Test(i);
  if (state[i] != kEating) self[i].Wait();
  monitor.Exit();
  monitor.Enter();
  state[i] = kThinking;
  Test((i + kCount - 1) % kCount);
  Test((i + 1) % kCount);
  monitor.Exit();
}

heddle::MonitorSC gate;
heddle::Condition opened(gate);
bool is_open = false;
int passed = 0;

void Pass() {
  gate.Enter();
  while (!is_open) opened.Wait();
  ++passed;
  gate.Exit();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string("su")) {
    heddle::Concurrently([] { Dine(0); }, [] { Dine(1); }, [] { Dine(2); });
    return 0;
  }
  heddle::Concurrently(Pass, Pass, [] {
    gate.Enter();
    is_open = true;
    opened.SignalAll();
    gate.Exit();
  });
  HEDDLE_ASSERT(passed == 2);
  return 0;
}
