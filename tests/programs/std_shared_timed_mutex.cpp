// std::shared_timed_mutex gives up with the time, by both clocks.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <cassert>
#include <chrono>
#include <shared_mutex>
#include <thread>

int main() {
  using std::chrono::milliseconds;
  std::shared_timed_mutex lock;
  lock.lock();
  std::thread([&] {
    assert(!lock.try_lock_shared_for(milliseconds(1)));
    assert(!lock.try_lock_until(std::chrono::system_clock::now() + milliseconds(1)));
  }).join();
  lock.unlock();
  lock.lock_shared();
  std::thread([&] {
    assert(!lock.try_lock_until(std::chrono::steady_clock::now() + milliseconds(1)));
    assert(lock.try_lock_shared_for(milliseconds(1)));
    lock.unlock_shared();
  }).join();
  lock.unlock_shared();
}
