// Mozilla: nsThread::Init makes a thread and then stores its handle; the new thread uses the
// handle. (order violation)
#include <cassert>
#include <thread>

#include "stir.h"

static int* handle = nullptr;
static int the_handle = 7;
static std::mutex pool_lock;
static int alive = 0;
static int seen = 0;

static void Main() {
  {
    const std::lock_guard guard(pool_lock);
    ++alive;
  }
  Stir(1);
  StirFreely(1);
  seen = *handle;
  Stir(2);
}

int main() {
  std::thread created(Main);
  Stir(2);
  StirFreely(2);
  handle = &the_handle;
  {
    const std::lock_guard guard(pool_lock);
    --alive;
  }
  Stir(3);
  created.join();
  assert(seen == 7 && alive == 0);
}
