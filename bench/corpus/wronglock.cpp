// One counter, two locks: OTHERS threads use the wrong one. (after SCTBench's wronglock)
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#ifndef OTHERS
#define OTHERS 7
#endif

std::mutex data_lock, other_lock;
// Atomic so that no compiler can do several steps in one.
std::atomic<int> value = 0;

void Careful() {
  const std::lock_guard guard(data_lock);
  const int before = value;
  value = before + 1;
  assert(value == before + 1);
}

void Careless() {
#ifdef FIXED
  const std::lock_guard guard(data_lock);
#else
  const std::lock_guard guard(other_lock);
#endif
  value = value + 1;
}

int main() {
  std::vector<std::thread> threads;
  threads.emplace_back(Careful);
  for (int i = 0; i < OTHERS; ++i) threads.emplace_back(Careless);
  for (std::thread& thread : threads) thread.join();
}
