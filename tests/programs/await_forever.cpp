// A loop that waits for what nobody will ever write is a livelock, and none if somebody does.
// RUN: heddle run --strategy=random --runs=200
// EXPECT: kind=livelock, any-schedule, output~waits in a loop
// RUN: heddle run --strategy=dfs --runs=20000 -- set
// EXPECT: clean, complete
#include <atomic>
#include <thread>

std::atomic<int> turn{0};

int main(int count, char**) {
  const bool always_set = count > 1;
  std::thread waiter([] {
    while (turn.load() != 1) {
    }
  });
  // Forgets the waiter if it comes too late.
  std::thread setter([always_set] {
    int none = 0;
    if (always_set) {
      turn.store(1);
    } else if (turn.compare_exchange_strong(none, 1)) {
      turn.store(2);
    }
  });
  setter.join();
  waiter.join();
}
