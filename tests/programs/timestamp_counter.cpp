// rdtsc and rdtscp count virtual time: sleeps move them, loops over them end, every run reads the same.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
// RUN: heddle run --runs=200 -- early
// EXPECT: kind=assertion
#include <x86intrin.h>

#include <cassert>
#include <chrono>
#include <thread>

int main(int count, char**) {
  const unsigned long long begin = __rdtsc();
  std::this_thread::sleep_for(std::chrono::seconds(3600));
  assert(__rdtsc() - begin >= 3'600'000'000'000ull);

  unsigned long long first = 0;
  unsigned long long second = 0;
  std::thread a([&] {
    std::this_thread::yield();
    unsigned processor = 0;
    const unsigned long long start = first = __rdtscp(&processor);
    while (__rdtsc() < start + 5'000'000'000ull) {
    }
  });
  std::thread b([&] {
    std::this_thread::yield();
    second = __rdtsc();
  });
  a.join();
  b.join();
  assert(first != second);
  if (count > 1) assert(first < second);
}
