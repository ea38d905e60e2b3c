// Who reads under a lock while it takes another makes a writer wait, as who writes does: opposite
// orders of a read-write lock and a mutex are a warning. Two readers do not wait for each other,
// and so such a lock is no gate between them.
// RUN: heddle run --runs=100 -- write
// EXPECT: kinds=lock-order, exit=0
// RUN: heddle run --runs=100 -- read
// EXPECT: clean
// RUN: heddle run --runs=100 -- gate read
// EXPECT: kinds=lock-order, exit=0
// RUN: heddle run --runs=100 -- gate write
// EXPECT: clean
#include <semaphore.h>

#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

std::shared_mutex shared, gate;
std::mutex a, b;
sem_t done;

void ReadThenTake() {
  const std::shared_lock outer(shared);
  const std::lock_guard inner(a);
}

void TakeThen(bool writes) {
  const std::lock_guard outer(a);
  if (writes) shared.lock();
  if (!writes) shared.lock_shared();
  writes ? shared.unlock() : shared.unlock_shared();
}

void TakeBoth(std::mutex& one, std::mutex& other, bool writes) {
  writes ? gate.lock() : gate.lock_shared();
  {
    const std::lock_guard outer(one);
    const std::lock_guard inner(other);
  }
  writes ? gate.unlock() : gate.unlock_shared();
}

int main(int argc, char** argv) {
  const bool with_gate = argc > 2;
  const bool writes = argc > 1 && std::string(argv[argc - 1]) == "write";
  sem_init(&done, 0, 0);
  std::thread first([=] {
    with_gate ? TakeBoth(a, b, false) : ReadThenTake();
    sem_post(&done);
  });
  std::thread second([=] {
    sem_wait(&done);
    with_gate ? TakeBoth(b, a, writes) : TakeThen(writes);
  });
  first.join();
  second.join();
}
