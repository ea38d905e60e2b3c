// A bounded buffer that is correct. heddle stays silent, and an exhaustive search of a small instance ends
// with a proof: `heddle run --strategy=dfs examples/bounded_buffer.cpp -- 1`.
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

class BoundedBuffer {
 public:
  explicit BoundedBuffer(std::size_t capacity) : capacity_(capacity) {}

  void Put(int item) {
    std::unique_lock<std::mutex> hold(lock_);
    while (items_.size() == capacity_) not_full_.wait(hold);
    items_.push_back(item);
    not_empty_.notify_one();
  }

  int Take() {
    std::unique_lock<std::mutex> hold(lock_);
    while (items_.empty()) not_empty_.wait(hold);
    const int item = items_.front();
    items_.pop_front();
    not_full_.notify_one();
    return item;
  }

 private:
  const std::size_t capacity_;
  std::mutex lock_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::deque<int> items_;
};

int main(int argc, char** argv) {
  const int items = argc > 1 ? std::atoi(argv[1]) : 3;
  BoundedBuffer buffer(1);
  int sum = 0;
  std::thread producer([&] {
    for (int i = 1; i <= items; ++i) buffer.Put(i);
  });
  std::thread consumer([&] {
    for (int i = 1; i <= items; ++i) sum += buffer.Take();
  });
  producer.join();
  consumer.join();
  assert(sum == items * (items + 1) / 2);
}
