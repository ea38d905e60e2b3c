// std::thread passes arguments, moves and joins.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <memory>
#include <thread>
#include <utility>

int main() {
  int sum = 0;
  std::thread a([&sum](int x, std::unique_ptr<int> y) { sum = x + *y; }, 1,
                std::make_unique<int>(2));
  std::thread b = std::move(a);
  assert(!a.joinable() && b.joinable());
  assert(b.get_id() != std::this_thread::get_id());
  b.join();
  assert(!b.joinable() && sum == 3);
  std::thread().swap(b);
}
