// A thread that nobody waits for starts before its creator gets on: both orders are tried.
// RUN: heddle run --strategy=dfs --keep-going --races=off
// EXPECT: kind=assertion, complete, classes=2, any-schedule
#include <cassert>
#include <thread>

int result = 0;

int main() {
  std::thread waited_for([] {});
  std::thread forgotten([] { result = 1; });
  waited_for.join();
  assert(result == 1);
  forgotten.join();
}
