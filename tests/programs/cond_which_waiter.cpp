// Which of three waiters a signal wakes is explored: each of them can be the first.
// RUN: heddle run --runs=500 -- 0
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --runs=500 -- 1
// EXPECT: kind=assertion
// RUN: heddle run --runs=500 -- 2
// EXPECT: kind=assertion
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main(int, char** argv) {
  const int guess = std::atoi(argv[1]);
  std::mutex lock;
  std::condition_variable changed;
  int waiting = 0;
  int first = -1;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&, i] {
      std::unique_lock<std::mutex> hold(lock);
      ++waiting;
      changed.wait(hold);
      if (first == -1) first = i;
      changed.notify_one();
    });
  }
  for (;;) {
    const std::lock_guard<std::mutex> hold(lock);
    if (waiting == 3) break;
  }
  {
    const std::lock_guard<std::mutex> hold(lock);
    changed.notify_one();
  }
  for (std::thread& waiter : waiters) waiter.join();
  assert(first != guess);
}
