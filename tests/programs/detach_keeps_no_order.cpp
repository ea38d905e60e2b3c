// A thread that is detached has ended by then or not: what it did is not thereby before what its
// creator does next.
// RUN: heddle run --strategy=dpor --runs=1000
// EXPECT: kind=assertion
// RUN: heddle run --strategy=baseline --runs=1000
// EXPECT: kind=assertion
// RUN: heddle run --strategy=optimal-dpor --runs=1000
// EXPECT: kind=assertion
// RUN: heddle run --strategy=dfs --runs=1000 -- right
// EXPECT: clean, complete, classes=3
// RUN: heddle run --strategy=dpor --runs=1000 -- right
// EXPECT: clean, complete, classes=3
// RUN: heddle run --strategy=optimal-dpor --runs=1000 -- right
// EXPECT: clean, complete, classes=3, runs=3
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> x = 0;
static sem_t begun;

int main(int count, char**) {
  sem_init(&begun, 0, 0);
  std::thread waits([] { sem_wait(&begun); });
  std::thread stores([] {
    sem_post(&begun);
    x.store(1, std::memory_order_relaxed);
  });
  waits.join();
  stores.detach();
  const int seen = x.load(std::memory_order_relaxed);
  assert(seen == 1 || count > 1);
  _exit(0);
}
