// Relaxed atomics between a release and an acquire fence do synchronise.
// RUN: heddle run --runs=300
// EXPECT: clean
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
  int seen = 1;
  if (ready.load(std::memory_order_relaxed)) {
    std::atomic_thread_fence(std::memory_order_acquire);
    seen = data;
  }
  writer.join();
  return seen == 1 ? 0 : 1;
}
