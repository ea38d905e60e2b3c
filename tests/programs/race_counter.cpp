// Two threads add to a plain variable: a race in every schedule.
// RUN: heddle run --strategy=dfs --runs=1000
// EXPECT: kind=race, complete
#include <thread>

int counter = 0;

int main() {
  std::thread a([] { counter++; });
  std::thread b([] { counter++; });
  a.join();
  b.join();
}
