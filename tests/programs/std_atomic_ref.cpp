// std::atomic_ref makes operations on a plain variable atomic; without it an update is lost.
// RUN: heddle run --runs=200 --keep-going -- atomic
// EXPECT: clean
// RUN: heddle run --runs=500 --races=off -- plain
// EXPECT: kind=assertion
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

int main(int, char** words) {
  const bool atomic = words[1] == std::string("atomic");
  int count = 0;
  const auto add = [&] {
    if (atomic) {
      ++std::atomic_ref<int>(count);
    } else {
      ++count;
    }
  };
  std::thread first(add), second(add);
  first.join();
  second.join();
  assert(count == 2);
}
