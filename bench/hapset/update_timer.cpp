// Mozilla: a timer is armed again if it is there; the thread that fires it takes it away between
// the look and the use. (atomicity violation)
#include <cassert>
#include <thread>

#include "stir.h"

struct Timer {
  int delay = 0;
  int fired = 0;
};

static Timer the_timer;
static Timer* timer = &the_timer;
static std::mutex queue_lock;
static int queued = 1;

static void Update() {
  Stir(1);
  if (timer != nullptr) {
    StirFreely(1);
    timer->delay = 5;
    const std::lock_guard guard(queue_lock);
    ++queued;
  }
  Stir(2);
}

static void Fire() {
  Stir(2);
  {
    const std::lock_guard guard(queue_lock);
    --queued;
  }
  Stir(3);
  the_timer.fired = 1;
  timer = nullptr;
  StirFreely(2);
}

int main() {
  std::thread updater(Update), firer(Fire);
  updater.join();
  firer.join();
  assert(the_timer.fired == 1);
}
