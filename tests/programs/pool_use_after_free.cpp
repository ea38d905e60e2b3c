// A pool of the program's own tells heddle what it hands out and takes back.
// RUN: heddle run --runs=300
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=300 -- wait
// EXPECT: clean
#include <heddle/heddle.h>

#include <atomic>
#include <thread>

struct Slot {
  std::atomic<int> value{0};
};
Slot pool[4];

int main(int argc, char**) {
  const bool waits = argc > 1;
  Slot* const slot = &pool[2];
  heddle::Allocated(slot, sizeof *slot);
  slot->value = 1;
  std::thread user([slot] { slot->value = 2; });
  if (waits) user.join();
  heddle::Freed(slot);
  if (!waits) user.join();
  heddle::Allocated(slot, sizeof *slot);
  slot->value = 3;
  heddle::Freed(slot);
}
