// Two elements in one word of memory: the one that is raced for is named, not both. Once they were
// copied together nobody can tell them apart any more.
// RUN: heddle run --runs=50
// EXPECT: kinds=race, exit=1, output~T1 writes pair[1] at
// RUN: heddle run --runs=50 -- copied
// EXPECT: kinds=race, exit=1, output~writes pair[0..1]
#include <cstring>
#include <thread>

alignas(8) int pair[2];
long both = 0;

int main(int argc, char**) {
  if (argc > 1) std::memcpy(&both, pair, sizeof pair);
  std::thread first([] { pair[1] = 1; });
  std::thread second([] {
    pair[0] = 2;
    pair[1] = 3;
  });
  first.join();
  second.join();
}
