// A bounded buffer with one condition for producers and consumers, who signal only one of them: the
// signal can reach the wrong kind of waiter, and everybody sleeps.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
int count = 0;
constexpr int kSize = 1;

void Signal() {
#ifdef FIXED
  changed.notify_all();
#else
  changed.notify_one();
#endif
}

void Produce() {
  for (int i = 0; i < 2; ++i) {
    std::unique_lock guard(lock);
    changed.wait(guard, [] { return count < kSize; });
    ++count;
    Signal();
  }
}

void Consume() {
  std::unique_lock guard(lock);
  changed.wait(guard, [] { return count > 0; });
  --count;
  Signal();
}

int main() {
  std::thread producer(Produce), one(Consume), other(Consume);
  producer.join();
  one.join();
  other.join();
}
