// Publication as in RCU: readers follow a pointer that the writer replaces; old versions are freed after
// the readers have ended.
// RUN: heddle run --runs=500
// EXPECT: clean
#include <atomic>
#include <thread>

struct Config {
  int a = 0, b = 0;
};
std::atomic<Config*> current{nullptr};

int main() {
  Config* const first = new Config{1, 1};
  current.store(first, std::memory_order_release);
  const auto read = [] {
    const Config* const config = current.load(std::memory_order_acquire);
    if (config->a != config->b) __builtin_abort();
  };
  std::thread reader(read);
  std::thread other(read);
  Config* const second = new Config{2, 2};
  current.store(second, std::memory_order_release);
  reader.join();
  other.join();
  delete first;
  delete second;
}
