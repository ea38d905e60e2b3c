// moodycamel::ConcurrentQueue, unchanged. With -DMISUSE the consumers take an empty queue for the
// end of the work, which it is only when the producers are done.
#include <concurrentqueue/concurrentqueue.h>

#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

constexpr int kProducers = 2;
constexpr int kConsumers = 2;
constexpr int kItems = 3;  // per producer

moodycamel::ConcurrentQueue<int> queue;
std::atomic<int> producers_left{kProducers};
std::atomic<int> sum{0};

void Produce() {
  for (int i = 1; i <= kItems; ++i) queue.enqueue(i);
  producers_left.fetch_sub(1);
}

void Consume() {
  for (;;) {
#ifdef MISUSE
    const bool is_last = true;
#else
    const bool is_last = producers_left.load() == 0;
#endif
    int item = 0;
    if (queue.try_dequeue(item)) {
      sum.fetch_add(item);
    } else if (is_last) {
      return;
    } else {
      std::this_thread::yield();
    }
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < kProducers; ++i) threads.emplace_back(Produce);
  for (int i = 0; i < kConsumers; ++i) threads.emplace_back(Consume);
  for (std::thread& thread : threads) thread.join();
  assert(sum == kProducers * kItems * (kItems + 1) / 2);
}
