// A compressor's main thread tears the queue down when the producer is done, though a consumer may
// still be about to use it. (after the order violation in pbzip2 0.9.4)
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Fifo {
  std::mutex lock;
  std::vector<int> blocks;
  bool alive = true;
};

Fifo fifo;
std::mutex done_lock;
bool producer_done = false;

void Consume() {
  for (int i = 0; i < 2; ++i) {
    assert(fifo.alive);
    const std::lock_guard guard(fifo.lock);
    if (!fifo.blocks.empty()) fifo.blocks.pop_back();
  }
}

void Produce() {
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard guard(fifo.lock);
    fifo.blocks.push_back(i);
  }
  const std::lock_guard guard(done_lock);
  producer_done = true;
}

int main() {
  std::thread consumer(Consume), producer(Produce);
  producer.join();
#ifdef FIXED
  consumer.join();
#endif
  fifo.alive = false;
#ifndef FIXED
  consumer.join();
#endif
}
