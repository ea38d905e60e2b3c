// Behind a latch everything before it is there.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <latch>
#include <thread>

int main() {
  std::latch all(3);
  int parts[2] = {0, 0};
  std::thread a([&] {
    parts[0] = 1;
    all.arrive_and_wait();
  });
  std::thread b([&] {
    parts[1] = 1;
    all.count_down();
  });
  all.arrive_and_wait();
  assert(all.try_wait() && parts[0] + parts[1] == 2);
  a.join();
  b.join();
}
