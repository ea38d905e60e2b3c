// A pool whose owner stops it: a worker that has just found no job and no stop flag goes to sleep
// after the owner has counted the sleepers it wakes. (order violation, then a worker that never
// ends)
#include <condition_variable>
#include <thread>

#include "../stir.h"

static std::mutex pool_lock;
static std::condition_variable wake;
static bool stop = false;
static int sleepers = 0;
static int jobs = 1;

static void Work() {
  while (true) {
    {
      const std::lock_guard guard(pool_lock);
      if (stop) return;
      if (jobs > 0) {
        --jobs;
        continue;
      }
    }
    Stir(1);
    std::unique_lock lock(pool_lock);
    ++sleepers;
    wake.wait(lock);
    --sleepers;
  }
}

static void Stop() {
  Stir(2);
  const std::lock_guard guard(pool_lock);
  stop = true;
  for (int i = 0; i < sleepers; ++i) wake.notify_one();
}

int main() {
  std::thread worker(Work), owner(Stop);
  owner.join();
  worker.join();
}
