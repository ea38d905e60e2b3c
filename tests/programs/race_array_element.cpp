// Two elements in one word of memory: the one that is raced for is named, not both.
// RUN: heddle run --runs=50
// EXPECT: kinds=race, exit=1, output~writes pair[1] at
#include <thread>

alignas(8) int pair[2];

int main() {
  std::thread first([] { pair[1] = 1; });
  std::thread second([] {
    pair[0] = 2;
    pair[1] = 3;
  });
  first.join();
  second.join();
}
