// MySQL's log is closed and opened again to rotate it; in between, a statement that is to be logged
// finds it closed and goes unlogged. (atomicity violation)
#include <cassert>
#include <thread>

#include "stir.h"

static std::mutex log_lock;
static bool is_open = true;
static int logged = 0;
static int files = 1;

static void Close() {
  const std::lock_guard guard(log_lock);
  is_open = false;
}

static void Open() {
  const std::lock_guard guard(log_lock);
  is_open = true;
  ++files;
}

static void Rotate() {
  Stir(1);
  Close();
  Stir(2);
  Open();
  StirFreely(1);
}

static void Execute() {
  Stir(3);
  StirFreely(2);
  {
    const std::lock_guard guard(log_lock);
    if (is_open) ++logged;
  }
  Stir(2);
}

int main() {
  std::thread statement(Execute), rotation(Rotate);
  statement.join();
  rotation.join();
  assert(logged == 1 && files == 2);
}
