// A work-stealing deque in the style of Chase and Lev, without locks: for the last item the owner
// must compete with the thieves by a compare-and-exchange, and does not. With STATE every item
// knows whether it was taken, and says so at once. (after the interlocked work-stealing queue of
// CHESS)
#include <atomic>
#include <cassert>
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
    const int bottom = bottom_.load();
    slots_[bottom % kSlots] = item;
    bottom_.store(bottom + 1);
  }

  // The owner's.
  int Pop() {
    const int bottom = bottom_.load() - 1;
    bottom_.store(bottom);
    int top = top_.load();
    if (top > bottom) {
      bottom_.store(top);
      return -1;
    }
    const int item = slots_[bottom % kSlots];
    if (top < bottom) return item;
    bottom_.store(top + 1);
#ifdef FIXED
    return top_.compare_exchange_strong(top, top + 1) ? item : -1;
#else
    top_.store(top + 1);
    return item;
#endif
  }

  // A thief's.
  int Steal() {
    int top = top_.load();
    if (top >= bottom_.load()) return -1;
    const int item = slots_[top % kSlots];
    return top_.compare_exchange_strong(top, top + 1) ? item : -1;
  }

 private:
  static constexpr int kSlots = 2 * kItems;
  std::atomic<int> top_ = 0, bottom_ = 0;
  std::atomic<int> slots_[kSlots] = {};
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
