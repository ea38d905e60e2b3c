// The tries of std::shared_mutex.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <cassert>
#include <shared_mutex>
#include <thread>

int main() {
  std::shared_mutex lock;
  assert(lock.try_lock_shared());
  std::thread([&] {
    assert(lock.try_lock_shared());
    lock.unlock_shared();
    assert(!lock.try_lock());
  }).join();
  lock.unlock_shared();
  assert(lock.try_lock());
  std::thread([&] { assert(!lock.try_lock_shared() && !lock.try_lock()); }).join();
  lock.unlock();
}
