// With --timeouts=idle two sleepers end in either order, if both are as long: searches that put a
// thread in another one's place don't find that, because nobody is an option before its time.
// RUN: heddle run --strategy=dfs --timeouts=idle --keep-going
// EXPECT: clean, complete, classes=2
// RUN: heddle run --strategy=optimal-dpor --timeouts=idle --keep-going
// EXPECT: clean, output~the strategy has nothing left to try
// RUN: heddle run --strategy=dpor --timeouts=idle --keep-going
// EXPECT: clean, output~the strategy has nothing left to try
// RUN: heddle run --strategy=baseline --timeouts=idle --keep-going
// EXPECT: clean, output~the strategy has nothing left to try
// RUN: heddle run --strategy=dpor --keep-going
// EXPECT: clean, complete
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

atomic_int last;  // what nobody else could read, clang++ would not write

static void* Sleep(void* which) {
  usleep(1000);
  last = which == 0 ? 1 : 2;
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, Sleep, 0);
  pthread_create(&two, 0, Sleep, &two);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
