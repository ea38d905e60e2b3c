// A release fence without an acquiring side orders nothing.
// RUN: heddle run --runs=300
// EXPECT: kind=race
#include <atomic>
#include <thread>

int data = 0;
std::atomic<bool> ready{false};

int main() {
  std::thread writer([] {
    data = 1;
    std::atomic_thread_fence(std::memory_order_release);
    ready.store(true, std::memory_order_relaxed);
  });
  int seen = 0;
  if (ready.load(std::memory_order_relaxed)) seen = data;
  writer.join();
  return seen > 1 ? 1 : 0;
}
