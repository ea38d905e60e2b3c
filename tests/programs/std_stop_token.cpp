// A stop request reaches who polls, who waits, and calls the callbacks exactly once.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
  std::mutex lock;
  std::condition_variable_any never;
  std::atomic<int> called{0};
  std::stop_source source;
  std::stop_callback callback(source.get_token(), [&] { ++called; });
  std::thread waiter([&] {
    std::unique_lock<std::mutex> hold(lock);
    assert(!never.wait(hold, source.get_token(), [] { return false; }));
  });
  std::thread other([&] { source.request_stop(); });
  source.request_stop();
  waiter.join();
  other.join();
  assert(called == 1 && source.stop_requested() && !source.request_stop());
}
