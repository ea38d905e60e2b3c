// Two users of two resources who lock in opposite orders, but only while the other one is there.
// (after SCTBench's carter01)
#include <mutex>
#include <thread>

std::mutex m, l;
int a = 0, b = 0;

void First() {
  m.lock();
  ++a;
  if (a == 1) l.lock();
#ifndef FIXED
  m.unlock();
  m.lock();
#endif
  --a;
  if (a == 0) l.unlock();
  m.unlock();
}

void Second() {
#ifdef FIXED
  m.lock();
  ++b;
  if (b == 1) l.lock();
  --b;
  if (b == 0) l.unlock();
  m.unlock();
#else
  l.lock();
  ++b;
  m.lock();
  --b;
  m.unlock();
  l.unlock();
#endif
}

int main() {
  std::thread first(First), second(Second);
  first.join();
  second.join();
}
