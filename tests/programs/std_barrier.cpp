// A barrier completes each phase once, when all have come.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <barrier>
#include <cassert>
#include <thread>

int main() {
  int phase = 0;
  std::barrier meet(3, [&phase]() noexcept { ++phase; });
  const auto go = [&] {
    for (int i = 1; i <= 3; ++i) {
      meet.arrive_and_wait();
      assert(phase >= i);
    }
  };
  std::thread a(go);
  std::thread b(go);
  go();
  a.join();
  b.join();
  assert(phase == 3);
}
