// Memory that was allocated before the run began, by a static initialiser: findings say where.
// RUN: heddle run --strategy=dfs -- use
// EXPECT: kind=use-after-free, any-schedule, output~Make  allocated_before_the_run.cpp:11
// RUN: heddle run --strategy=dfs -- race
// EXPECT: kind=race, output~Make  allocated_before_the_run.cpp:11
#include <atomic>
#include <cstring>
#include <thread>

namespace {
int* Make() { return new int(1); }
int* const block = Make();
std::atomic<bool> freed{false};
}  // namespace

int main(int, char** argv) {
  if (std::strcmp(argv[1], "use") == 0) {
    std::thread user([] {
      if (freed.load()) *block = 2;
    });
    delete block;
    freed = true;
    user.join();
    return 0;
  }
  std::thread one([] { *block = 2; });
  std::thread two([] { *block = 3; });
  one.join();
  two.join();
  return 0;
}
