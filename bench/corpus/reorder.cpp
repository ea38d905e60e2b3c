// Setters write two variables one after the other, a checker must see none or both of them.
// SETTERS of them: what makes it hard is that all others must wait. (after SCTBench's reorder_N)
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#ifndef SETTERS
#define SETTERS 2
#endif

int a = 0, b = 0;
std::mutex lock;

void Set() {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  a = 1;
  b = -1;
}

void Check() {
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  assert((a == 0 && b == 0) || (a == 1 && b == -1));
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < SETTERS; ++i) threads.emplace_back(Set);
  threads.emplace_back(Check);
  for (std::thread& thread : threads) thread.join();
}
