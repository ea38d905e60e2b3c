// A third thread that takes for granted that the other two have not both been there.
// (after SCTBench's lazy01)
#include <cassert>
#include <mutex>
#include <thread>

std::mutex lock;
int data = 0;

void AddOne() {
  const std::lock_guard guard(lock);
  data += 1;
}

void AddTwo() {
  const std::lock_guard guard(lock);
  data += 2;
}

void Check() {
  const std::lock_guard guard(lock);
#ifdef FIXED
  assert(data <= 3);
#else
  assert(data < 3);
#endif
}

int main() {
  std::thread one(AddOne), two(AddTwo), three(Check);
  one.join();
  two.join();
  three.join();
}
