// A promise that is kept when its thread ends: libstdc++ makes the future ready, where nobody sees
// it, and still what the thread did comes before what whoever gets the value does.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <cassert>
#include <future>
#include <thread>

static int before = 0;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&promise] {
    before = 1;
    promise.set_value_at_thread_exit(4);
  });
  assert(future.get() == 4);
  assert(before == 1);
  before = 2;
  thread.join();
}
