// scoped_lock takes two mutexes in any order without a deadlock.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <mutex>
#include <thread>

int main() {
  std::mutex first;
  std::mutex second;
  int counter = 0;
  std::thread a([&] {
    const std::scoped_lock hold(first, second);
    ++counter;
  });
  std::thread b([&] {
    const std::scoped_lock hold(second, first);
    ++counter;
  });
  if (first.try_lock()) first.unlock();
  a.join();
  b.join();
  assert(counter == 2);
}
