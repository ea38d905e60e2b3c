// A jthread asks its function to stop, and joins.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

int main() {
  std::atomic<bool> stopped{false};
  std::atomic<int> called{0};
  {
    std::jthread worker([&](const std::stop_token& stop) {
      const std::stop_callback callback(stop, [&called] { ++called; });
      while (!stop.stop_requested()) std::this_thread::yield();
      stopped = true;
    });
  }
  assert(stopped && called <= 1);
}
