// A spin lock taken by test-and-set: to set what is set changes nothing, so that waits too. A lock that is never
// given back is a livelock.
// RUN: heddle run --strategy=dfs --runs=100000
// EXPECT: clean, complete
// RUN: heddle run --strategy=random --runs=300 -- yield
// EXPECT: clean
// RUN: heddle run --strategy=random --runs=300 -- keep
// EXPECT: kind=livelock, any-schedule
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

std::atomic_flag lock = ATOMIC_FLAG_INIT;
int counter = 0;

int main(int count, char** words) {
  const bool yields = count > 1 && std::strcmp(words[1], "yield") == 0;
  const bool keeps = count > 1 && std::strcmp(words[1], "keep") == 0;
  const auto work = [=] {
    while (lock.test_and_set()) {
      if (yields) std::this_thread::yield();
    }
    ++counter;
    if (!keeps) lock.clear();
  };
  std::thread one(work), other(work);
  one.join();
  other.join();
  assert(counter == 2);
}
