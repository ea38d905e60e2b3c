// A lock-free stack of indices, by D. Vyukov: two threads can come to own the same element, which
// needs three threads and at least five preemptions. (after SCTBench's safestack)
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kThreads = 3;
constexpr int kTurns = 4;

struct Item {
  std::atomic<int> value = -1;
  std::atomic<int> next = -1;
};

class SafeStack {
 public:
  SafeStack() {
    for (int i = 0; i < kThreads - 1; ++i) items_[i].next = i + 1;
    items_[kThreads - 1].next = -1;
  }

  int Pop() {
#ifdef FIXED
    const std::lock_guard guard(lock_);
#endif
    while (count_.load() > 1) {
      int head = head_.load();
      const int next = items_[head].next.exchange(-1);
      if (next < 0) {
        std::this_thread::yield();
        continue;
      }
      if (head_.compare_exchange_strong(head, next)) {
        count_.fetch_sub(1);
        return head;
      }
      items_[head].next.exchange(next);
    }
    return -1;
  }

  void Push(int index) {
#ifdef FIXED
    const std::lock_guard guard(lock_);
#endif
    int head = head_.load();
    do {
      items_[index].next.store(head);
    } while (!head_.compare_exchange_strong(head, index));
    count_.fetch_add(1);
  }

  Item& at(int index) { return items_[index]; }

 private:
  Item items_[kThreads];
  std::atomic<int> head_ = 0;
  std::atomic<int> count_ = kThreads;
  std::mutex lock_;
};

SafeStack stack;

void Work(int self) {
  for (int i = 0; i < kTurns; ++i) {
    const int element = stack.Pop();
    if (element < 0) continue;
    stack.at(element).value.store(self);
    assert(stack.at(element).value.load() == self);
    stack.Push(element);
  }
}

int main() {
  std::thread first(Work, 1), second(Work, 2), third(Work, 3);
  first.join();
  second.join();
  third.join();
}
