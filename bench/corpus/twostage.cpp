// Two values that belong together, each under a lock of its own. WRITERS of them write.
// (after SCTBench's twostage and twostage_100)
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#ifndef WRITERS
#define WRITERS 1
#endif

std::mutex lock1, lock2;
int data1 = 0, data2 = 0;

void Write() {
  lock1.lock();
  data1 = 1;
#ifndef FIXED
  lock1.unlock();
#endif
  lock2.lock();
  data2 = data1 + 1;
  lock2.unlock();
#ifdef FIXED
  lock1.unlock();
#endif
}

void Read() {
  lock1.lock();
  const int first = data1;
  lock1.unlock();
  if (first == 0) return;
  lock2.lock();
  const int second = data2;
  lock2.unlock();
  assert(second == first + 1);
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < WRITERS; ++i) threads.emplace_back(Write);
  threads.emplace_back(Read);
  for (std::thread& thread : threads) thread.join();
}
