// A gate: the waiter looks at the flag without the lock, takes the lock and sleeps; a signal
// between the two reaches nobody. (deadlock)
#include <condition_variable>
#include <thread>

#include "../stir.h"

static std::mutex gate_lock;
static std::condition_variable opened;
static bool is_open = false;

static void Wait() {
  Stir(1);
  if (!is_open) {
    std::unique_lock lock(gate_lock);
    opened.wait(lock);
  }
  Stir(2);
}

static void Open() {
  Stir(2);
  {
    const std::lock_guard guard(gate_lock);
    is_open = true;
  }
  StirFreely(1);
  opened.notify_all();
  Stir(3);
}

int main() {
  std::thread waiter(Wait), opener(Open);
  waiter.join();
  opener.join();
}
