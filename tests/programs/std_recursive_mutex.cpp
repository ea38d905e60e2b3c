// A recursive mutex is taken again on the way down.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <mutex>
#include <thread>

std::recursive_mutex lock;
int counter = 0;

void Descend(int depth) {
  const std::lock_guard<std::recursive_mutex> hold(lock);
  ++counter;
  if (depth > 0) Descend(depth - 1);
}

int main() {
  std::thread a(Descend, 3);
  std::thread b(Descend, 3);
  a.join();
  b.join();
  assert(counter == 8);
}
