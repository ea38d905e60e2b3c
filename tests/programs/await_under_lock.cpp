// Busy waiting under a lock, and for one of two flags: exhaustive search ends.
// RUN: heddle run --strategy=dfs --runs=200000
// EXPECT: clean, complete
// RUN: heddle run --strategy=pct --runs=500 -- two
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;
std::atomic<int> left{0};
std::atomic<int> right{0};

int main(int count, char**) {
  if (count > 1) {
    std::thread a([] { left.store(1); });
    std::thread b([] { right.store(1); });
    while (left.load() == 0 && right.load() == 0) {
    }
    assert(left.load() + right.load() > 0);
    a.join();
    b.join();
    return 0;
  }
  std::thread setter([] {
    const std::lock_guard<std::mutex> guard(mutex);
    ready = true;
  });
  for (;;) {
    const std::lock_guard<std::mutex> guard(mutex);
    if (ready) break;
  }
  setter.join();
}
