// A block of a pool is used by main and given back by another thread, in whatever order: also where the pool is a
// local variable, the two are seen to be at odds.
// RUN: heddle run --runs=300
// EXPECT: kind=use-after-free
// RUN: heddle run --runs=300 -- local
// EXPECT: kind=race
// RUN: heddle run --runs=300 -- local wait
// EXPECT: clean
#include <heddle/heddle.h>

#include <mutex>
#include <thread>

struct Pool {
  int slots[4][4];
};
Pool shared;
std::mutex lock;

int main(int argc, char**) {
  Pool local;
  int* const block = argc > 1 ? local.slots[1] : shared.slots[1];
  heddle::Allocated(block, sizeof shared.slots[1]);
  std::thread owner([block] {
    const std::lock_guard<std::mutex> guard(lock);
    heddle::Freed(block);
  });
  if (argc < 3) *static_cast<volatile int*>(block) = 1;
  owner.join();
}
