// Producers and consumers wait for one condition, and each wakes one of them: if that is one of its
// own kind, the other kind is never told. HaPSets know the waiter that a signal reaches, who takes
// the lock before a woken waiter does, and who comes first of all.
// RUN: heddle run --strategy=hapset
// EXPECT: kind=deadlock
// RUN: heddle run --strategy=hapset -- behind
// EXPECT: kind=deadlock
// RUN: heddle run --strategy=hapset:over=pcb,bound=2
// EXPECT: kind=deadlock
// RUN: heddle run --strategy=dpor
// EXPECT: kind=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
int items = 0;

void Put(bool is_behind) {
  std::unique_lock<std::mutex> lock(mutex);
  while (items == 1) changed.wait(lock);
  ++items;
  if (is_behind) lock.unlock();
  changed.notify_one();
}

void Get(bool is_behind) {
  std::unique_lock<std::mutex> lock(mutex);
  while (items == 0) changed.wait(lock);
  --items;
  if (is_behind) lock.unlock();
  changed.notify_one();
}

}  // namespace

int main(int argc, char**) {
  const bool is_behind = argc > 1;
  void (*const first)(bool) = is_behind ? Put : Get;
  void (*const second)(bool) = is_behind ? Get : Put;
  std::thread threads[] = {std::thread(first, is_behind), std::thread(first, is_behind),
                           std::thread(second, is_behind), std::thread(second, is_behind)};
  for (std::thread& thread : threads) thread.join();
}
