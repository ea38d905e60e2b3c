// Three philosophers wait in a circle.
// RUN: heddle run --runs=2000
// EXPECT: kind=deadlock, output~waits for
#include <mutex>
#include <thread>

std::mutex locks[3];

void Take(int i) {
  const std::lock_guard<std::mutex> first(locks[i]);
  const std::lock_guard<std::mutex> second(locks[(i + 1) % 3]);
}

int main() {
  std::thread a(Take, 0);
  std::thread b(Take, 1);
  std::thread c(Take, 2);
  a.join();
  b.join();
  c.join();
}
