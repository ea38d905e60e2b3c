// Whoever forgets to notify leaves a waiter asleep.
// RUN: heddle run --strategy=dfs
// EXPECT: kind=deadlock
#include <atomic>
#include <thread>

int main() {
  std::atomic<int> value{0};
  std::thread waiter([&] { value.wait(0); });
  value = 1;
  waiter.join();
}
