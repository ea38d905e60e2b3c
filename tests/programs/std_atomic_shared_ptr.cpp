// std::atomic<std::shared_ptr>: whoever loads it gets a whole object, whatever is stored meanwhile.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Pair {
  int first, second;
};

int main() {
  std::atomic<std::shared_ptr<Pair>> shared{std::make_shared<Pair>(1, 1)};
  std::thread writer([&] { shared.store(std::make_shared<Pair>(2, 2)); });
  std::thread reader([&] {
    const std::shared_ptr<Pair> mine = shared.load();
    assert(mine->first == mine->second);
  });
  writer.join();
  reader.join();
  assert(shared.load()->first == 2);
}
