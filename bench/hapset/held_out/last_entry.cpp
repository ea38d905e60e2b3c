// A log that its owner closes when no worker is busy any more: a worker says that it is done before
// it has written its last line. (order violation at shutdown)
#include <cassert>
#include <condition_variable>
#include <thread>

#include "../stir.h"

static std::mutex busy_lock, log_lock;
static std::condition_variable idle;
static int busy = 2;
static bool is_closed = false;
static int lines = 0;

static void Write() {
  const std::lock_guard guard(log_lock);
  assert(!is_closed);
  ++lines;
}

static void Work(int n) {
  Stir(n);
  Write();
  {
    const std::lock_guard guard(busy_lock);
    if (--busy == 0) idle.notify_one();
  }
  StirFreely(n);
  if (n == 1) Write();  // how long it took
}

static void Close() {
  {
    std::unique_lock lock(busy_lock);
    while (busy > 0) idle.wait(lock);
  }
  Stir(1);
  const std::lock_guard guard(log_lock);
  is_closed = true;
}

int main() {
  std::thread a(Work, 1), b(Work, 2), owner(Close);
  a.join();
  b.join();
  owner.join();
}
