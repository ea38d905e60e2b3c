// A relaxed store by a third thread ends the release sequence; a read-modify-write would not.
// RUN: heddle run --runs=1000
// EXPECT: kind=race
// RUN: heddle run --runs=1000 -- rmw
// EXPECT: clean
#include <atomic>
#include <thread>

int data = 0;
std::atomic<int> state{0};

int main(int argc, char**) {
  const bool rmw = argc > 1;
  std::thread writer([] {
    data = 1;
    state.store(1, std::memory_order_release);
  });
  std::thread middle([rmw] {
    if (rmw) {
      int one = 1;
      state.compare_exchange_strong(one, 2, std::memory_order_relaxed);
    } else if (state.load(std::memory_order_relaxed) == 1) {
      state.store(2, std::memory_order_relaxed);
    }
  });
  int seen = 1;
  if (state.load(std::memory_order_acquire) == 2) seen = data;
  writer.join();
  middle.join();
  return seen == 1 ? 0 : 1;
}
