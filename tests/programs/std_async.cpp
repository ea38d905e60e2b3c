// std::async: in a thread of its own; deferred, in the thread that asks for the result.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main() {
  const std::thread::id me = std::this_thread::get_id();
  auto apart = std::async(std::launch::async, [] { return std::this_thread::get_id(); });
  auto later = std::async(std::launch::deferred, [] { return std::this_thread::get_id(); });
  assert(later.wait_for(std::chrono::seconds(0)) == std::future_status::deferred);
  assert(apart.get() != me);
  assert(later.get() == me);
}
