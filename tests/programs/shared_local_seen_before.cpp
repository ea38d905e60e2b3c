// A local that another thread writes is shared from both sides: it can be read before the write.
// RUN: heddle run --runs=500
// EXPECT: kind=assertion, any-schedule
#include <cassert>
#include <thread>

int main() {
  bool done = false;
  std::thread t([&] { done = true; });
  const bool seen = done;
  t.join();
  assert(seen);
}
