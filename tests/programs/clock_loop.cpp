// Loops that do nothing but read the clock reach their deadline.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
#include <cassert>
#include <chrono>
#include <thread>

int main() {
  using Clock = std::chrono::steady_clock;
  const auto wait = [] {
    const Clock::time_point deadline = Clock::now() + std::chrono::seconds(5);
    while (Clock::now() < deadline) {
    }
    assert(Clock::now() >= deadline);
  };
  std::thread a(wait);
  std::thread b(wait);
  wait();
  a.join();
  b.join();
}
