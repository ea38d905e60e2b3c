// A queue of which the consumer expects as many elements as the producer announced, though they are
// announced before they are there. (after SCTBench's queue)
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kItems = 5;

std::mutex lock;
int items[kItems];
int head = 0, tail = 0;
int announced = 0;

void Produce() {
  for (int i = 0; i < kItems; ++i) {
    lock.lock();
    ++announced;
#ifndef FIXED
    lock.unlock();
    lock.lock();
#endif
    items[tail++] = i;
    lock.unlock();
  }
}

void Consume() {
  for (int i = 0; i < kItems; ++i) {
    const std::lock_guard guard(lock);
    if (head >= announced) continue;
    assert(head < tail);
    assert(items[head] == head);
    ++head;
  }
}

int main() {
  std::thread producer(Produce), consumer(Consume);
  producer.join();
  consumer.join();
}
