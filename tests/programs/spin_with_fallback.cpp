// A spin that counts its rounds is no await: both ways out of it are found, wherever it counts.
// RUN: heddle run --strategy=random --runs=2000
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --strategy=random --runs=2000 -- memory
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --strategy=random --runs=2000 -- yields
// EXPECT: kind=assertion
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

std::atomic<bool> flag{false};
long rounds = 0;  // only the waiter's, so no scheduling point

bool CountInRegister(bool yields) {
  for (int i = 0; i < 7; ++i) {
    if (flag.load()) return true;
    if (yields) std::this_thread::yield();
  }
  return false;
}

bool CountInMemory() {
  while (!flag.load()) {
    if (++rounds == 7) return false;
  }
  return true;
}

int main(int count, char** words) {
  std::thread setter([] {
    for (int i = 0; i < 4; ++i) std::this_thread::yield();
    flag.store(true);
  });
  const bool in_memory = count > 1 && std::strcmp(words[1], "memory") == 0;
  const bool was_set = in_memory ? CountInMemory() : CountInRegister(count > 1);
  setter.join();
  assert(was_set);
}
