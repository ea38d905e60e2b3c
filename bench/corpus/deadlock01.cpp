// Two locks in two orders. (after SCTBench's deadlock01)
#include <mutex>
#include <thread>

std::mutex a, b;
int counter = 1;

void First() {
  const std::lock_guard outer(a);
  const std::lock_guard inner(b);
  ++counter;
}

void Second() {
#ifdef FIXED
  const std::lock_guard outer(a);
  const std::lock_guard inner(b);
#else
  const std::lock_guard outer(b);
  const std::lock_guard inner(a);
#endif
  --counter;
}

int main() {
  std::thread first(First), second(Second);
  first.join();
  second.join();
}
