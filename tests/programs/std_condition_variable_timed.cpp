// Both clocks of std::condition_variable: the wait ends by the time or by the signal, both happen.
// RUN: heddle run --runs=500 -- 0
// EXPECT: kind=assertion
// RUN: heddle run --runs=500 -- 1
// EXPECT: kind=assertion, any-schedule
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

int main(int, char** words) {
  std::mutex lock;
  std::condition_variable changed;
  bool is_changed = false;
  std::thread thread([&] {
    const std::lock_guard<std::mutex> hold(lock);
    is_changed = true;
    changed.notify_all();
  });
  bool seen = false;
  {
    std::unique_lock<std::mutex> hold(lock);
    seen = changed.wait_until(hold, std::chrono::system_clock::now() + std::chrono::seconds(1),
                              [&] { return is_changed; });
  }
  thread.join();
  assert(seen != (std::atoi(words[1]) != 0));
}
