// A stack whose user remembers that something was pushed, not whether it is still there.
// (after SCTBench's stack)
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kSize = 5;

std::mutex lock;
int items[kSize];
int top = 0;
bool filled = false;

void Push(int value) {
  assert(top < kSize);
  items[top++] = value;
}

int Pop() {
  assert(top > 0);
  return items[--top];
}

void Pusher() {
  for (int i = 0; i < kSize; ++i) {
    const std::lock_guard guard(lock);
    Push(i);
    filled = true;
  }
}

void Popper() {
  for (int i = 0; i < kSize; ++i) {
    const std::lock_guard guard(lock);
#ifdef FIXED
    if (top > 0) Pop();
#else
    if (filled) Pop();
#endif
  }
}

int main() {
  std::thread pusher(Pusher), popper(Popper);
  pusher.join();
  popper.join();
}
