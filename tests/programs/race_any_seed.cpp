// Plain accesses race, whatever the seed: the first run shows where memory is shared, the next the race.
// RUN: heddle run --runs=4 --seed=1
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=2
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=3
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=4
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=5
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=6
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=7
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=8
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=9
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=10
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=11
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=12
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=13
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=14
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=15
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=16
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=17
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=18
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=19
// EXPECT: kind=race
// RUN: heddle run --runs=4 --seed=20
// EXPECT: kind=race
#include <thread>

int reading = 0;
int seen = 0;

int main() {
  std::thread writer([] { reading = 21; });
  std::thread reader([] { seen = reading; });
  writer.join();
  reader.join();
  return seen == 0 || seen == 21 ? 0 : 1;
}
