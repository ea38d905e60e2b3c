// A spin lock of one's own, taken by compare-and-exchange, with and without a yield.
// RUN: heddle run --strategy=dfs --runs=100000
// EXPECT: clean, complete
// RUN: heddle run --strategy=pos --runs=500 -- yield
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> taken{0};
int counter = 0;
bool yields = false;

void Increment() {
  int free = 0;
  while (!taken.compare_exchange_weak(free, 1)) {
    free = 0;
    if (yields) std::this_thread::yield();
  }
  ++counter;
  taken.store(0);
}

int main(int count, char**) {
  yields = count > 1;
  std::thread a(Increment);
  std::thread b(Increment);
  a.join();
  b.join();
  assert(counter == 2);
}
