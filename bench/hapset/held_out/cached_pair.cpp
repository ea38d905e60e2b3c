// A cache of one entry: its key and its value are guarded, each by a lock of its own, so that a
// reader may see the key of one entry with the value of another. (atomicity violation over two
// variables)
#include <cassert>
#include <thread>

#include "../stir.h"

static std::mutex key_lock, value_lock;
static int key = 1, value = 10;

static void Replace(int n) {
  Stir(n);
  {
    const std::lock_guard guard(key_lock);
    key = n;
  }
  StirFreely(n);
  const std::lock_guard guard(value_lock);
  value = 10 * n;
}

static void LookUp() {
  Stir(1);
  int found = 0;
  {
    const std::lock_guard guard(key_lock);
    found = key;
  }
  Stir(2);
  const std::lock_guard guard(value_lock);
  assert(value == 10 * found);
}

int main() {
  std::thread writer(Replace, 2), reader(LookUp);
  writer.join();
  reader.join();
}
