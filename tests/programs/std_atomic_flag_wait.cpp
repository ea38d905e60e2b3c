// std::atomic_flag: a wait ends when the flag has changed and somebody notifies.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic_flag ready;
  int value = 0;
  std::thread setter([&] {
    value = 3;
    assert(!ready.test_and_set());
    ready.notify_one();
  });
  ready.wait(false);
  assert(ready.test() && value == 3);
  setter.join();
}
