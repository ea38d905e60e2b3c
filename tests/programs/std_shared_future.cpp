// A shared future lets all who wait go on with the same value.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <cassert>
#include <future>
#include <thread>

int main() {
  std::promise<int> promise;
  const std::shared_future<int> value = promise.get_future().share();
  std::thread first([value] { assert(value.get() == 4); });
  std::thread second([value] { assert(value.get() == 4); });
  promise.set_value(4);
  first.join();
  second.join();
}
