// Atomic pointers, flags used as spin locks, and floating point.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <thread>

int values[4] = {};
std::atomic<int*> next{values};
std::atomic_flag spin = ATOMIC_FLAG_INIT;
std::atomic<double> sum{0};
int plain = 0;

void Work() {
  int* const mine = next.fetch_add(2);
  mine[0] = mine[1] = 1;
  while (spin.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  ++plain;
  spin.clear(std::memory_order_release);
  sum.fetch_add(0.5);
}

int main() {
  std::thread other(Work);
  Work();
  other.join();
  for (const int value : values) assert(value == 1);
  assert(plain == 2 && sum == 1.0);
}
