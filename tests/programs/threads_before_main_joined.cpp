// A program may start and join threads before main, and go on in main.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <mutex>
#include <thread>

std::mutex lock;
int counter = 0;

struct Early {
  Early() {
    std::thread a([] {
      std::lock_guard<std::mutex> hold(lock);
      ++counter;
    });
    std::thread b([] {
      std::lock_guard<std::mutex> hold(lock);
      ++counter;
    });
    a.join();
    b.join();
  }
} early;

int main() {
  std::thread c([] { ++counter; });
  c.join();
  assert(counter == 3);
}
