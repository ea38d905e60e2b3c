// condition_variable_any with any lock, and a wait that a stop request ends.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
  std::recursive_mutex lock;
  std::condition_variable_any changed;
  bool ready = false;
  bool interrupted = false;
  std::jthread stopped([&](const std::stop_token& stop) {
    std::unique_lock<std::recursive_mutex> hold(lock);
    interrupted = !changed.wait(hold, stop, [] { return false; });
  });
  std::thread woken([&] {
    std::unique_lock<std::recursive_mutex> hold(lock);
    changed.wait(hold, [&] { return ready; });
  });
  {
    const std::lock_guard<std::recursive_mutex> hold(lock);
    ready = true;
  }
  changed.notify_all();
  stopped.request_stop();
  woken.join();
  stopped.join();
  assert(interrupted);
}
