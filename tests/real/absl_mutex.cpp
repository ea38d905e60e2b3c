// abseil's Mutex and CondVar as Debian built them: not instrumented, with their own spinning and
// their own futex calls. With -DLOST_WAKE_UP the consumer looks before it takes the mutex.
#include <absl/synchronization/mutex.h>

#include <cassert>
#include <deque>
#include <thread>

absl::Mutex mutex;
absl::CondVar filled;
std::deque<int> items;
bool is_closed = false;

void Produce() {
  for (int i = 1; i <= 3; ++i) {
    absl::MutexLock lock(&mutex);
    items.push_back(i);
    filled.Signal();
  }
  absl::MutexLock lock(&mutex);
  is_closed = true;
  filled.SignalAll();
}

int Consume() {
  int sum = 0;
  for (;;) {
#ifdef LOST_WAKE_UP
    mutex.Lock();
    const bool must_wait = items.empty() && !is_closed;
    mutex.Unlock();
    absl::MutexLock lock(&mutex);
    if (must_wait) filled.Wait(&mutex);
#else
    absl::MutexLock lock(&mutex);
    while (items.empty() && !is_closed) filled.Wait(&mutex);
#endif
    if (items.empty()) return sum;
    sum += items.front();
    items.pop_front();
  }
}

int main() {
  int first = 0;
  int second = 0;
  std::thread one([&] { first = Consume(); });
  std::thread two([&] { second = Consume(); });
  std::thread producer(Produce);
  one.join();
  two.join();
  producer.join();
  // Waiting for a condition, abseil's own way.
  bool is_ready = false;
  std::thread setter([&] {
    absl::MutexLock lock(&mutex);
    is_ready = true;
  });
  mutex.LockWhen(absl::Condition(&is_ready));
  mutex.Unlock();
  setter.join();
  assert(first + second == 6);
}
