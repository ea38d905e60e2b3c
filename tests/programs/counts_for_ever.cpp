// A loop that counts while it waits for what nobody sends: no await, because it changes something,
// so the step limit ends the run. Who goes round, where, and what it reads is said.
// RUN: heddle run --strategy=random --runs=1 --max-steps=3000 --races=off
// EXPECT: clean, not-native, output~goes round at counts_for_ever.cpp:15: it reads flag (always 0);
#include <atomic>
#include <thread>

// Not in an unnamed namespace: clang would see that nobody writes and take the loop away.
std::atomic<int> flag{0};
std::atomic<long> rounds{0};

int main() {
  std::thread waiter([] {
    long n = 0;
    while (flag.load() == 0) {
      rounds.store(++n);
    }
  });
  waiter.join();
  return flag;
}
