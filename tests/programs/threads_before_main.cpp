// Threads that a constructor starts before main are under control too.
// RUN: heddle run --runs=500
// EXPECT: kinds=assertion+race+race
#include <cassert>
#include <thread>

int counter = 0;

struct Early {
  std::thread a{[] {
    const int seen = counter;
    counter = seen + 1;
  }};
  std::thread b{[] {
    const int seen = counter;
    counter = seen + 1;
  }};
  ~Early() {
    a.join();
    b.join();
    assert(counter == 2);
  }
} early;

int main() {}
