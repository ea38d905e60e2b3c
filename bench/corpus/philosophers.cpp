// Four philosophers who take the left fork first, all of them.
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

constexpr int kPhilosophers = 4;
std::mutex forks[kPhilosophers];

void Dine(int self) {
  int first = self, second = (self + 1) % kPhilosophers;
#ifdef FIXED
  if (first > second) std::swap(first, second);
#endif
  const std::lock_guard left(forks[first]);
  const std::lock_guard right(forks[second]);
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < kPhilosophers; ++i) threads.emplace_back(Dine, i);
  for (std::thread& thread : threads) thread.join();
}
