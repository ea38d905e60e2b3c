// A call_once whose function throws is tried again, by one thread at a time.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <mutex>
#include <thread>

std::once_flag once;
int tries = 0;

void Use() {
  try {
    std::call_once(once, [] {
      if (++tries == 1) throw 1;
    });
    assert(tries == 2);
  } catch (int) {
    Use();
  }
}

int main() {
  std::thread a(Use);
  std::thread b(Use);
  a.join();
  b.join();
  assert(tries == 2);
}
