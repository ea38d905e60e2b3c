// Whether another thread's sleep is over by the time that somebody reads the clock: searches that
// do not try both never say that they have.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete, classes=3
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: clean, output~The search ended because the strategy has nothing left to try.
// RUN: heddle run --strategy=dpor --keep-going
// EXPECT: clean, output~The search ended because the strategy has nothing left to try.
// RUN: heddle run --strategy=optimal-dpor --keep-going -- ordered
// EXPECT: clean, complete, classes=1
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int number;
static struct timespec begin, end;

static void* Measures(void* nothing) {
  clock_gettime(CLOCK_MONOTONIC, &begin);
  atomic_load(&number);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return nothing;
}

static void* Sleeps(void* nothing) {
  const struct timespec a_while = {0, 2000000};
  nanosleep(&a_while, 0);
  atomic_store(&number, 1);
  return nothing;
}

int main(int argc, char** argv) {
  (void)argv;
  pthread_t sleeps, measures;
  if (argc > 1) Measures(0);
  pthread_create(&sleeps, 0, Sleeps, 0);
  if (argc == 1) {
    pthread_create(&measures, 0, Measures, 0);
    pthread_join(measures, 0);
  }
  pthread_join(sleeps, 0);
  return 0;
}
