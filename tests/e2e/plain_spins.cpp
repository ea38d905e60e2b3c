// Built without heddle: threads that wait in loops, for a flag and for a lock of its own.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

int main(int count, char**) {
  std::atomic<int> ready{0}, done{0};
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  std::mutex mutex;
  int data = 0, value = 0;
  std::thread consumer([&] {
    while (ready.load(std::memory_order_acquire) == 0) {
    }
    ++data;
    done.store(1, std::memory_order_release);
  });
  std::thread producer([&] {
    {
      const std::lock_guard<std::mutex> guard(mutex);
      data = 41;
    }
    if (count == 1) ready.store(1, std::memory_order_release);
    while (done.load(std::memory_order_acquire) == 0) {
    }
  });
  const auto add = [&] {
    for (int i = 0; i < 3; ++i) {
      while (lock.test_and_set(std::memory_order_acquire)) {
      }
      { const std::lock_guard<std::mutex> guard(mutex); }  // somebody meets a lock that is taken
      ++value;
      lock.clear(std::memory_order_release);
    }
  };
  std::thread first(add), second(add);
  consumer.join();
  producer.join();
  first.join();
  second.join();
  if (data != 42 || value != 6) std::abort();
}
