// An exception that nobody catches, in one order only.
// RUN: heddle run --runs=500
// EXPECT: kind=exception, output~std::logic_error
#include <atomic>
#include <stdexcept>
#include <thread>

int main() {
  std::atomic<int> order{0};
  std::thread a([&] { order = 1; });
  std::thread b([&] {
    if (order == 0) throw std::logic_error("b came first");
  });
  a.join();
  b.join();
}
