// A bounded stack, each of its calls under a lock, and two threads that ask whether it is empty
// before they take from it: in two calls. (atomicity violation)
#include <cassert>
#include <thread>

#include "../stir.h"

class Stack {
 public:
  void Push(int value) {
    const std::lock_guard guard(lock_);
    values_[size_++] = value;
  }
  int Pop() {
    const std::lock_guard guard(lock_);
    assert(size_ > 0);
    return values_[--size_];
  }
  bool IsEmpty() {
    const std::lock_guard guard(lock_);
    return size_ == 0;
  }

 private:
  std::mutex lock_;
  int values_[4] = {};
  int size_ = 0;
};

static Stack jobs;

static void Work(int n) {
  for (int i = 0; i < 2; ++i) {
    Stir(n + i);
    if (jobs.IsEmpty()) return;
    StirFreely(n);
    jobs.Pop();
  }
}

int main() {
  for (int i = 0; i < 3; ++i) jobs.Push(i);
  std::thread a(Work, 1), b(Work, 2);
  a.join();
  b.join();
}
