// A loop that waits for a local of its own thread to be changed by another one ends. (A volatile access is a plain one: a race.)
// RUN: heddle run --runs=200 --keep-going
// EXPECT: kind=race
#include <cassert>
#include <thread>

int main() {
  bool done = false;
  std::thread t([&] { __atomic_store_n(&done, true, __ATOMIC_RELAXED); });
  while (!*static_cast<volatile bool*>(&done)) std::this_thread::yield();
  t.join();
  assert(done);
}
