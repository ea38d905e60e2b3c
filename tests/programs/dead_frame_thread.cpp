// A pointer to a local variable of a thread that has ended: its stack is gone. As long as the
// thread lives, the pointer is good.
// RUN: heddle run --runs=500
// EXPECT: kind=use-after-free, any-schedule
// RUN: heddle run --runs=300 -- stay
// EXPECT: clean
#include <atomic>
#include <thread>

int main(int argc, char**) {
  const bool stay = argc > 1;
  std::atomic<std::atomic<int>*> published{nullptr};
  std::atomic<bool> used{false};
  std::thread owner([&] {
    std::atomic<int> value{7};
    published.store(&value);
    while (stay && !used.load()) std::this_thread::yield();
  });
  std::thread user([&] {
    std::atomic<int>* const value = published.load();
    if (value != nullptr) value->fetch_add(1);
    used.store(true);
  });
  owner.join();
  user.join();
}
