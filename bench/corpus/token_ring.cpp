// Four values that hand a token round, checked by a thread that thinks everybody waits for his
// predecessor. (after SCTBench's token_ring)
#include <cassert>
#include <mutex>
#include <thread>

std::mutex lock;
int x1 = 1, x2 = 1, x3 = 1;
bool done1 = false, done2 = false, done3 = false;

void First() {
  const std::lock_guard guard(lock);
  x1 = (x3 + 1) % 4;
  done1 = true;
}

void Second() {
  const std::lock_guard guard(lock);
#ifdef FIXED
  if (!done1) return;
#endif
  x2 = x1;
  done2 = true;
}

void Third() {
  const std::lock_guard guard(lock);
#ifdef FIXED
  if (!done2) return;
#endif
  x3 = x2;
  done3 = true;
}

void Check() {
  const std::lock_guard guard(lock);
  if (done1 && done2 && done3) assert(x1 == x2 && x2 == x3);
}

int main() {
  std::thread first(First), second(Second), third(Third), check(Check);
  first.join();
  second.join();
  third.join();
  check.join();
}
