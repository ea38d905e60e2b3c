// Two variables in one word, at places that have touched other memory before: that of the first is
// shared, so what the same thread does to the second must be, too.
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: kinds=assertion+race, complete, classes=4
// RUN: heddle run --strategy=dpor --keep-going
// EXPECT: kinds=assertion+race, complete, classes=4
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: kinds=assertion+race, complete, classes=4
#include <cassert>
#include <thread>

struct Pair {
  int first = 0;
  int second = 0;
} shared;

__attribute__((noinline)) void AddToBoth(Pair* pair) {
  pair->first = pair->first + 1;
  pair->second = pair->second + 1;
}

int main() {
  std::thread a([] {
    Pair own;
    AddToBoth(&own);
    assert(own.first + own.second == 2);
    AddToBoth(&shared);
  });
  std::thread b([] { shared.second = shared.second + 1; });
  a.join();
  b.join();
  assert(shared.second == 2);
}
