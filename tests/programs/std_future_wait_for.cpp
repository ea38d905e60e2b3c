// A future that is waited for with a time limit: the value is there in time or not, and may come
// right behind that.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete, classes=12
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: clean, complete, classes=12
// RUN: heddle run --strategy=dpor --keep-going
// EXPECT: clean, complete, classes=12
// RUN: heddle run --strategy=baseline --keep-going
// EXPECT: clean, complete, classes=12
// RUN: heddle run --strategy=dpor -- late
// EXPECT: kind=assertion
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main(int argc, char**) {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  bool in_time = false;
  std::thread waits([&] {
    in_time = future.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready;
  });
  std::thread sets([&] { promise.set_value(4); });
  waits.join();
  sets.join();
  assert(future.get() == 4);
  assert(argc == 1 || in_time);
}
