// Neighbours in one word are different objects: all orders are one class.
// RUN: heddle run --runs=200 --strategy=dfs --keep-going
// EXPECT: clean, complete, classes=1
#include <cassert>
#include <thread>

struct {
  char first = 0;
  char second = 0;
} pair;

int main() {
  std::thread a([] { pair.first = pair.first + 1; });
  std::thread b([] { pair.second = pair.second + 1; });
  a.join();
  b.join();
  assert(pair.first == 1 && pair.second == 1);
}
