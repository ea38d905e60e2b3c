// Philosophers who all take the left fork first: 2^n - 1 ways to dine, one of them the deadlock.
// RUN: heddle run --strategy=reachability --keep-going -- 2
// EXPECT: kind=deadlock, complete, runs=3, output~3 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability --keep-going -- 3
// EXPECT: kind=deadlock, complete, runs=7, output~7 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability:check=on --keep-going -- 4
// EXPECT: kind=deadlock, complete, runs=15, output~15 SYN-sequences; these are all. 0 came again
// RUN: heddle run --strategy=reachability --keep-going -- 5
// EXPECT: kind=deadlock, complete, runs=31, output~31 SYN-sequences; these are all.
// RUN: heddle run --strategy=reachability --keep-going --show-races -- 3
// EXPECT: kind=deadlock, complete, output~race table
#include <heddle/heddle.h>
#include <heddle/sync.h>

#include <cstdlib>
#include <deque>
#include <thread>
#include <vector>

int main(int, char** argv) {
  const int count = std::atoi(argv[1]);
  std::deque<heddle::Semaphore> fork;
  for (int i = 0; i < count; ++i) fork.emplace_back(1);
  std::vector<std::thread> philosophers;
  for (int i = 0; i < count; ++i) {
    philosophers.emplace_back([&, i] {
      heddle::Semaphore& left = fork[i];
      heddle::Semaphore& right = fork[(i + 1) % count];
      left.P();
      right.P();
      left.V();
      right.V();
    });
  }
  for (std::thread& philosopher : philosophers) philosopher.join();
  return 0;
}
