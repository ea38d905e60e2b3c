// Workers compute costs in a first phase and choose by them in a second; the barrier in between
// lets a thread through too early when it comes back for the next round. (after the bug class of
// parsec's streamcluster)
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

constexpr int kThreads = 2;
constexpr int kRounds = 2;

std::mutex lock;
std::condition_variable all_here;
int arrived = 0;
int generation = 0;
bool open = false;

void Barrier() {
  std::unique_lock guard(lock);
#ifdef FIXED
  const int mine = generation;
  if (++arrived == kThreads) {
    arrived = 0;
    ++generation;
    all_here.notify_all();
  }
  all_here.wait(guard, [mine] { return generation != mine; });
#else
  if (++arrived == kThreads) {
    open = true;
    all_here.notify_all();
  }
  all_here.wait(guard, [] { return open; });
  if (--arrived == 0) open = false;
#endif
}

int cost[kThreads];

void Work(int self) {
  for (int round = 1; round <= kRounds; ++round) {
    cost[self] = round;
    Barrier();
    assert(cost[1 - self] == round);
    Barrier();
  }
}

int main() {
  std::thread one(Work, 0), other(Work, 1);
  one.join();
  other.join();
}
