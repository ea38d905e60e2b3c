// Thread-local objects start fresh in every thread and are destroyed with it.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> alive{0};
std::atomic<int> destroyed{0};

struct Counted {
  int value = 5;
  Counted() { ++alive; }
  ~Counted() {
    --alive;
    ++destroyed;
  }
};
thread_local Counted mine;
thread_local int plain = 3;

int main() {
  for (int round = 0; round < 3; ++round) {
    const auto use = [] {
      assert(mine.value == 5 && plain == 3);
      mine.value = 9;
      plain = 4;
    };
    std::thread a(use);
    std::thread b(use);
    a.join();
    b.join();
    assert(alive == 0);
  }
  assert(destroyed == 6);
}
