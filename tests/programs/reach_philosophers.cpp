// Philosophers who all take the left fork first: 7 ways to dine for three, one of them the
// deadlock. RUN: heddle run --strategy=reachability --keep-going EXPECT: kind=deadlock, complete,
// runs=7, output~7 SYN-sequences
// RUN: heddle run --strategy=reachability --keep-going --show-races
// EXPECT: kind=deadlock, complete, output~race table
#include <heddle/heddle.h>
#include <heddle/sync.h>

int main() {
  heddle::Semaphore fork[3] = {heddle::Semaphore(1), heddle::Semaphore(1), heddle::Semaphore(1)};
  const auto dine = [&](int i) {
    heddle::Semaphore& left = fork[i];
    heddle::Semaphore& right = fork[(i + 1) % 3];
    left.P();
    right.P();
    left.V();
    right.V();
  };
  heddle::Concurrently([&] { dine(0); }, [&] { dine(1); }, [&] { dine(2); });
  return 0;
}
