// Timed mutexes time out in virtual time.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

using std::chrono_literals::operator""h;

int main() {
  std::timed_mutex lock;
  std::recursive_timed_mutex recursive;
  lock.lock();
  recursive.lock();
  assert(recursive.try_lock_for(1h));
  std::thread other([&] {
    const auto start = std::chrono::steady_clock::now();
    assert(!lock.try_lock_for(1h));
    assert(!recursive.try_lock_until(std::chrono::system_clock::now() + 1h));
    assert(std::chrono::steady_clock::now() - start >= 2h);
  });
  other.join();
  recursive.unlock();
  recursive.unlock();
  lock.unlock();
  assert(lock.try_lock_for(1h));
  lock.unlock();
}
