// Whoever reads the clock to wait for a while is not thereby before the sleep that ends next: what
// lies around the two may happen in either order.
// RUN: heddle run --strategy=optimal-dpor --runs=1000
// EXPECT: kind=assertion
// RUN: heddle run --strategy=dpor --runs=1000
// EXPECT: kind=assertion
// RUN: heddle run --strategy=baseline --runs=1000
// EXPECT: kind=assertion
// RUN: heddle run --strategy=optimal-dpor --runs=1000 -- right
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::atomic<bool> is_set = false;
static std::mutex mutex;
static std::condition_variable never;

int main(int count, char**) {
  std::thread sets([] {
    is_set = true;
    std::unique_lock lock(mutex);
    never.wait_for(lock, std::chrono::milliseconds(1));
  });
  std::thread relies_on_time([count] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const bool seen = is_set;
    assert(seen || count > 1);
  });
  sets.join();
  relies_on_time.join();
}
