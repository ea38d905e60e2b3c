// std::shared_mutex: readers together, a writer alone.
// RUN: heddle run --runs=200 --keep-going -- writers
// EXPECT: clean
// RUN: heddle run --runs=500 -- readers
// EXPECT: kind=assertion
#include <atomic>
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

int main(int, char** words) {
  const bool writers = words[1] == std::string("writers");
  std::shared_mutex lock;
  std::atomic<int> inside{0};
  int value = 0;
  const auto read = [&] {
    const std::shared_lock<std::shared_mutex> hold(lock);
    if (!writers) assert(inside++ == 0);
    [[maybe_unused]] const int seen = value;
    if (!writers) --inside;
  };
  const auto write = [&] {
    const std::unique_lock<std::shared_mutex> hold(lock);
    assert(inside++ == 0);
    ++value;
    --inside;
  };
  std::thread first(read), second(read);
  if (writers) write();
  first.join();
  second.join();
}
