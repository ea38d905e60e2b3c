// A connection that both its reader (at the end of the data) and its owner (at shutdown) close;
// each looks first whether it is still open. (atomicity violation)
#include <cassert>
#include <thread>

#include "../stir.h"

static bool is_open = true;
static int data_left = 2;
static int closed = 0;
static std::mutex count_lock;

static void Close() {
  if (!is_open) return;
  Stir(1);
  is_open = false;
  const std::lock_guard guard(count_lock);
  ++closed;
  assert(closed == 1);
}

static void Read() {
  while (data_left > 0) {
    --data_left;
    Stir(2);
  }
  Close();
}

static void ShutDown() {
  Stir(3);
  StirFreely(1);
  Close();
}

int main() {
  std::thread reader(Read), owner(ShutDown);
  reader.join();
  owner.join();
}
