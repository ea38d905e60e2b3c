// A relaxed flag publishes nothing: the data behind it races, though only when the flag was seen.
// RUN: heddle run --runs=300
// EXPECT: kind=race
// RUN: heddle run --runs=300 --races=off
// EXPECT: clean
#include <atomic>
#include <thread>

int data = 0;
std::atomic<bool> ready{false};

int main() {
  std::thread writer([] {
    data = 1;
    ready.store(true, std::memory_order_relaxed);
  });
  int seen = 0;
  if (ready.load(std::memory_order_acquire)) seen = data;
  writer.join();
  return seen > 1 ? 1 : 0;
}
