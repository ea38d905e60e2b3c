// A wrong exit status in one order only.
// RUN: heddle run --runs=500
// EXPECT: kind=exit, output~status 1
// RUN: heddle run --strategy=random --runs=500 --expect-exit=1
// EXPECT: kind=exit, any-schedule, output~exit status 0 instead of 1
#include <atomic>
#include <thread>

int main() {
  std::atomic<int> last{0};
  std::thread a([&] { last = 1; });
  std::thread b([&] { last = 2; });
  a.join();
  b.join();
  return last == 2 ? 0 : 1;
}
