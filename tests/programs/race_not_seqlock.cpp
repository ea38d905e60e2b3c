// A sequence lock written with atomics: readers may see a torn state, but they notice.
// RUN: heddle run --runs=500
// EXPECT: clean
#include <atomic>
#include <thread>

std::atomic<unsigned> sequence{0};
std::atomic<int> x{0}, y{0};

void Write(int value) {
  const unsigned before = sequence.load(std::memory_order_relaxed);
  sequence.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  x.store(value, std::memory_order_relaxed);
  y.store(value, std::memory_order_relaxed);
  sequence.store(before + 2, std::memory_order_release);
}

bool TryRead(int* a, int* b) {
  const unsigned before = sequence.load(std::memory_order_acquire);
  *a = x.load(std::memory_order_relaxed);
  *b = y.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  return before % 2 == 0 && sequence.load(std::memory_order_relaxed) == before;
}

int main() {
  std::thread writer([] {
    Write(1);
    Write(2);
  });
  int a = 0, b = 0;
  const bool whole = TryRead(&a, &b);
  writer.join();
  return whole && a != b ? 1 : 0;
}
