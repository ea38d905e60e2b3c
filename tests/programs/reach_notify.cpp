// Which of several waiters notify_one wakes is a race like others, and explored.
// Three who wait, one who signals once: whoever is woken, the other two stay.
// RUN: heddle run --strategy=reachability --keep-going -- one
// EXPECT: kind=deadlock, any-schedule, complete, output~these are all.
// RUN: heddle run --strategy=reachability -- chain
// EXPECT: clean, complete, output~these are all.
// RUN: heddle run --strategy=optimal-dpor -- chain
// EXPECT: clean, complete
// The waiter that the program forgets is found whoever it is.
// RUN: heddle run --strategy=reachability -- third
// EXPECT: kind=assertion, output~third
#include <heddle/heddle.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::condition_variable turn;
int waiting = 0;
int tokens = 0;
int last = -1;

void Wait(int who) {
  std::unique_lock<std::mutex> lock(mutex);
  ++waiting;
  while (tokens == 0) turn.wait(lock);
  --tokens;
  last = who;
}

void Give() {
  const std::lock_guard<std::mutex> lock(mutex);
  ++tokens;
  turn.notify_one();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  std::vector<std::thread> threads;
  const int waiters = what == "chain" ? 2 : 3;
  for (int i = 0; i < waiters; ++i) threads.emplace_back(Wait, i);
  if (what == "one") {
    Give();
  } else {
    for (int i = 0; i < waiters; ++i) Give();
  }
  for (std::thread& thread : threads) thread.join();
  HEDDLE_ASSERT(what != "third" || last != 0);
  return 0;
}
