// Loops whose first round finds other rubbish in registers and stack frames than later ones, above
// all where nothing is optimised:
//
//   spin_locks ttas N          a lock that is read until it seems free, then taken; N times by two
//   threads spin_locks peterson N spin_locks remembers       a loop whose rounds leave something
//   behind that is read when it ends
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> lock{0}, turn{0}, flag{0};
std::atomic<int> wants[2];
int guarded = 0;
int times = 1;

void Take() {
  for (;;) {
    while (lock.load(std::memory_order_relaxed) != 0) {
    }
    if (lock.exchange(1) == 0) return;
  }
}

void* Ttas(void*) {
  for (int i = 0; i < times; ++i) {
    Take();
    lock.store(0);
  }
  return nullptr;
}

void* Peterson(void* which) {
  const int me = which == nullptr ? 0 : 1;
  for (int i = 0; i < times; ++i) {
    wants[me].store(1);
    turn.store(1 - me);
    while (wants[1 - me].load() != 0 && turn.load() == 1 - me) {
    }
    if (++guarded != 1) abort();
    --guarded;
    wants[me].store(0);
  }
  return nullptr;
}

void* Remembers(void* which) {
  if (which == nullptr) {
    flag.store(1);
    return nullptr;
  }
  int waited = 0;
  while (flag.load() == 0) waited = 1;
  if (waited != 0) abort();
  return nullptr;
}

}  // namespace

int main(int count, char** words) {
  if (count > 2) times = atoi(words[2]);
  void* (*const body)(void*) = strcmp(words[1], "ttas") == 0       ? Ttas
                               : strcmp(words[1], "peterson") == 0 ? Peterson
                                                                   : Remembers;
  pthread_t first, second;
  pthread_create(&first, nullptr, body, nullptr);
  pthread_create(&second, nullptr, body, &times);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
