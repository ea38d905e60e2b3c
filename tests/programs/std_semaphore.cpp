// A counting semaphore lets two in; a binary one hands over.
//
// Not natively: those of libstdc++ 12 can sleep for ever (docs/compatibility.md).
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

int main() {
  std::counting_semaphore<4> places(2);
  std::binary_semaphore ready(0);
  std::atomic<int> inside{0};
  const auto enter = [&] {
    places.acquire();
    assert(inside.fetch_add(1) < 2);
    inside.fetch_sub(1);
    places.release();
  };
  std::thread a(enter);
  std::thread b(enter);
  std::thread c([&] { ready.acquire(); });
  enter();
  ready.release();
  a.join();
  b.join();
  c.join();
  assert(!ready.try_acquire());
  assert(!ready.try_acquire_for(std::chrono::seconds(1)));
}
