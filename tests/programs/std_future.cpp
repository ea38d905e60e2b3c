// Promises, shared futures, async and packaged tasks deliver values and exceptions.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <cassert>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

int main() {
  std::promise<int> promise;
  std::shared_future<int> shared = promise.get_future().share();
  std::thread setter([&promise] { promise.set_value(7); });
  std::thread reader([shared] { assert(shared.get() == 7); });
  assert(shared.get() == 7);
  setter.join();
  reader.join();

  std::future<int> thrown =
      std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  try {
    thrown.get();
    assert(false);
  } catch (const std::runtime_error&) {
  }

  std::packaged_task<int(int)> task([](int x) { return x + 1; });
  std::future<int> result = task.get_future();
  std::thread runner(std::move(task), 2);
  result.wait_for(std::chrono::seconds(1));
  assert(result.get() == 3);
  runner.join();

  assert(std::async(std::launch::deferred, [] { return 1; }).get() == 1);
}
