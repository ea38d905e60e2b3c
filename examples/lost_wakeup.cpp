// Lost wake-up: the consumer looks at the flag, the producer sets it and signals, then the consumer goes to
// sleep. The flag is atomic, so there is no data race; it should have been set under the lock.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
std::atomic<bool> ready{false};

void Consume() {
  std::unique_lock<std::mutex> hold(lock);
  while (!ready) changed.wait(hold);
}

void Produce() {
  ready = true;
  changed.notify_one();
}

int main() {
  std::thread consumer(Consume);
  std::thread producer(Produce);
  consumer.join();
  producer.join();
}
