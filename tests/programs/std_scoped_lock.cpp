// std::scoped_lock takes several mutexes in any order without a deadlock; one after the other does not.
// RUN: heddle run --runs=200 --keep-going -- together
// EXPECT: clean
// RUN: heddle run --runs=500 -- apart
// EXPECT: kind=deadlock
#include <mutex>
#include <string>
#include <thread>

int main(int, char** words) {
  const bool together = words[1] == std::string("together");
  std::mutex a, b;
  const auto take = [&](std::mutex& first, std::mutex& second) {
    if (together) {
      const std::scoped_lock hold(first, second);
    } else {
      const std::lock_guard<std::mutex> one(first);
      const std::lock_guard<std::mutex> two(second);
    }
  };
  std::thread thread([&] { take(a, b); });
  take(b, a);
  thread.join();
}
