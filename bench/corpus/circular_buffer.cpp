// A ring buffer whose reader looks whether something is there without the lock, and then takes it.
// (after SCTBench's circular_buffer)
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kSize = 4;
constexpr int kItems = 6;

std::mutex lock;
int buffer[kSize];
int first = 0, next = 0, count = 0;

bool Insert(int value) {
  const std::lock_guard guard(lock);
  if (count == kSize) return false;
  buffer[next] = value;
  next = (next + 1) % kSize;
  ++count;
  return true;
}

int Remove() {
  const std::lock_guard guard(lock);
#ifdef FIXED
  if (count == 0) return -1;
#else
  assert(count > 0);
#endif
  const int value = buffer[first];
  first = (first + 1) % kSize;
  --count;
  return value;
}

bool Any() {
  const std::lock_guard guard(lock);
  return count > 0;
}

void Send() {
  for (int i = 1; i <= kItems; ++i) {
    if (!Insert(i)) break;
  }
}

void Receive() {
  int last = 0;
  for (int i = 0; i < kItems; ++i) {
    if (!Any()) continue;
    const int value = Remove();
    if (value < 0) continue;
    assert(value > last);
    last = value;
  }
}

int main() {
  std::thread sender(Send), one(Receive), other(Receive);
  sender.join();
  one.join();
  other.join();
}
