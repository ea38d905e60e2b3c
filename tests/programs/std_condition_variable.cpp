// Two threads take turns; a wait that nobody ends times out.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
  std::mutex lock;
  std::condition_variable changed;
  int turn = 0;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) {
      std::unique_lock<std::mutex> hold(lock);
      changed.wait(hold, [&] { return turn % 2 == 1; });
      ++turn;
      changed.notify_all();
    }
  });
  for (int i = 0; i < 3; ++i) {
    std::unique_lock<std::mutex> hold(lock);
    changed.wait(hold, [&] { return turn % 2 == 0; });
    ++turn;
    changed.notify_all();
  }
  other.join();
  std::unique_lock<std::mutex> hold(lock);
  assert(turn == 6);
  assert(changed.wait_for(hold, std::chrono::hours(1)) == std::cv_status::timeout);
}
