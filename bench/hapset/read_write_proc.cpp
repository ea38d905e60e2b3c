// Mozilla's macio.c: an asynchronous read is started, then marked as pending; its completion, which
// unmarks it, may come before the mark. The reader then waits for ever. (order violation)
#include <condition_variable>
#include <thread>

#include "stir.h"

static std::mutex io_lock;
static std::condition_variable io_changed;
static bool is_started = false;
static bool is_pending = false;
static int bytes = 0;

static void ReadWriteProc() {
  Stir(1);
  {
    const std::lock_guard guard(io_lock);
    is_started = true;
    io_changed.notify_all();
  }
  StirFreely(1);
  {
    const std::lock_guard guard(io_lock);
    is_pending = true;
  }
  Stir(2);
  std::unique_lock held(io_lock);
  while (is_pending) io_changed.wait(held);
  ++bytes;
}

static void DoneWaiting() {
  {
    std::unique_lock held(io_lock);
    while (!is_started) io_changed.wait(held);
    ++bytes;
  }
  Stir(3);
  StirFreely(2);
  const std::lock_guard guard(io_lock);
  is_pending = false;
  io_changed.notify_all();
}

int main() {
  std::thread reader(ReadWriteProc), completion(DoneWaiting);
  reader.join();
  completion.join();
  return bytes == 2 ? 0 : 1;
}
