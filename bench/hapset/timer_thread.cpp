// Mozilla's timer thread looks whether it is to end, outside of the lock under which it then waits;
// the shutdown in between wakes nobody. (deadlock)
#include <condition_variable>
#include <thread>

#include "stir.h"

static std::mutex timer_lock;
static std::condition_variable timer_changed;
static bool is_shut_down = false;
static int timers = 1;
static int fired = 0;

static void TimerThread() {
  Stir(1);
  while (!is_shut_down) {
    std::unique_lock held(timer_lock);
    if (timers > 0) {
      --timers;
      ++fired;
      continue;
    }
    timer_changed.wait(held);
  }
  Stir(2);
}

static void Shutdown() {
  Stir(2);
  StirFreely(2);
  const std::lock_guard guard(timer_lock);
  is_shut_down = true;
  timer_changed.notify_all();
  Stir(3);
}

int main() {
  std::thread timer(TimerThread), shutdown(Shutdown);
  timer.join();
  shutdown.join();
  return fired <= 1 ? 0 : 1;
}
