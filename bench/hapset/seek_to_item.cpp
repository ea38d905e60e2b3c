// Mozilla: two threads read items of one archive; each seeks, then reads where the archive stands.
// (atomicity violation)
#include <cassert>
#include <thread>

#include "stir.h"

static std::mutex file_lock;
static int position = 0;
static const int kItems[4] = {10, 11, 12, 13};
static int got[2];

static void Seek(int to) {
  const std::lock_guard guard(file_lock);
  position = to;
}

static int Read() {
  const std::lock_guard guard(file_lock);
  return kItems[position++];
}

static void ReadItem(int item, int reader) {
  Stir(reader + 1);
  Seek(item);
  StirFreely(reader);
  got[reader] = Read();
  Stir(reader + 2);
  StirFreely(reader + 1);
}

int main() {
  std::thread first(ReadItem, 0, 0), second(ReadItem, 2, 1);
  first.join();
  second.join();
  assert(got[0] == 10 && got[1] == 12);
}
