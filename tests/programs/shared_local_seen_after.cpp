// A local that another thread writes is shared from both sides: it can be read after the write.
// RUN: heddle run --runs=500
// EXPECT: kinds=assertion+race
#include <cassert>
#include <thread>

int main() {
  bool done = false;
  std::thread t([&] { done = true; });
  const bool seen = done;
  t.join();
  assert(!seen);
}
