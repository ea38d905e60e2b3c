// A deadlock of some threads is reported when it forms, though others go on.
// RUN: heddle run --runs=2000
// EXPECT: kind=deadlock
#include <atomic>
#include <mutex>
#include <thread>

std::mutex a;
std::mutex b;
std::atomic<bool> never{false};

int main() {
  std::thread one([] {
    const std::lock_guard<std::mutex> first(a);
    const std::lock_guard<std::mutex> second(b);
  });
  std::thread other([] {
    const std::lock_guard<std::mutex> first(b);
    const std::lock_guard<std::mutex> second(a);
  });
  one.detach();
  other.detach();
  for (int i = 0; i < 50; ++i) never.load();
}
