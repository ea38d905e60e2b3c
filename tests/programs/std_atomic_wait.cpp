// Atomic wait returns when the value changed and somebody said so.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> narrow{0};
  std::atomic<char> tiny{0};
  std::thread a([&] {
    narrow.wait(0);
    assert(narrow == 1);
    tiny = 1;
    tiny.notify_all();
  });
  std::thread b([&] { tiny.wait(0); });
  narrow = 1;
  narrow.notify_one();
  a.join();
  b.join();
}
