// A work-stealing queue in the style of Cilk's THE protocol: the owner works at the tail without a
// lock, thieves at the head with one. A thief must first announce what it takes and then look
// whether it is still there; this one looks first, so the owner may take the same item. With STATE
// every item knows whether it was taken, and says so at once. (after the work-stealing queue of
// CHESS)
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kItems = 4;

struct Item {
  std::atomic<int> taken = 0;
};
Item items[kItems];

void Take(int index) {
#ifdef STATE
  assert(items[index].taken.exchange(1) == 0);
#else
  items[index].taken.fetch_add(1);
#endif
}

class Queue {
 public:
  void Push(int item) {
    const int tail = tail_.load();
    slots_[tail] = item;
    tail_.store(tail + 1);
  }

  // The owner's.
  int Pop() {
    const int tail = tail_.load() - 1;
    tail_.store(tail);
    if (head_.load() <= tail) return slots_[tail];
    tail_.store(tail + 1);
    const std::lock_guard guard(lock_);
    if (head_.load() > tail) return -1;
    tail_.store(tail);
    return slots_[tail];
  }

  // A thief's.
  int Steal() {
    const std::lock_guard guard(lock_);
    const int head = head_.load();
#ifdef FIXED
    head_.store(head + 1);
    if (head + 1 <= tail_.load()) return slots_[head];
    head_.store(head);
    return -1;
#else
    if (head >= tail_.load()) return -1;
    const int item = slots_[head];
    head_.store(head + 1);
    return item;
#endif
  }

 private:
  std::mutex lock_;
  std::atomic<int> head_ = 0, tail_ = 0;
  int slots_[2 * kItems] = {};
};

Queue queue;

void Thief() {
  for (int i = 0; i < 2; ++i) {
    if (const int item = queue.Steal(); item >= 0) Take(item);
  }
}

void PopOne() {
  if (const int item = queue.Pop(); item >= 0) Take(item);
}

int main() {
  std::thread thief(Thief);
  for (int i = 0; i < kItems; i += 2) {
    queue.Push(i);
    queue.Push(i + 1);
    PopOne();
  }
  for (int i = 0; i < kItems / 2; ++i) PopOne();
  thief.join();
  for (const Item& item : items) assert(item.taken.load() <= 1);
}
