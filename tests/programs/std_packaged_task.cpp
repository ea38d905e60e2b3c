// A packaged task runs where it is called; its result is had elsewhere, or not in time.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <cassert>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

int main() {
  std::packaged_task<int(int)> task([](int x) { return x + 1; });
  std::future<int> result = task.get_future();
  assert(result.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout);
  std::thread thread(std::move(task), 6);
  assert(result.get() == 7);
  thread.join();
}
