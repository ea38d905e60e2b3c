// Whether another thread's sleep is over by the time that somebody reads the clock: reading it is a
// scheduling point there. Of the five classes two have the sleep before both reads, two between
// them, one behind: then the load comes before the store.
// RUN: heddle run --strategy=dfs --keep-going
// EXPECT: clean, complete, classes=5
// RUN: heddle run --strategy=pcb:bound=9 --keep-going
// EXPECT: clean, complete, classes=5
// RUN: heddle run --strategy=optimal-dpor --keep-going
// EXPECT: clean, complete, runs=5, classes=5
// RUN: heddle run --strategy=dpor --keep-going
// EXPECT: clean, complete, classes=5
// RUN: heddle run --strategy=optimal-dpor --keep-going -- ordered
// EXPECT: clean, complete, classes=1
// RUN: heddle run --strategy=dfs --keep-going -- ordered
// EXPECT: clean, complete, classes=1
//
// Both sleep, then one reads. Who sleeps for a while asks for the time to know until when.
// RUN: heddle run --strategy=dfs --keep-going -- both sleep
// EXPECT: clean, complete, classes=5
// RUN: heddle run --strategy=delay:bound=9 --keep-going -- both sleep
// EXPECT: clean, complete, classes=5
// RUN: heddle run --strategy=optimal-dpor --keep-going -- both sleep
// EXPECT: clean, complete, runs=5, classes=5
//
// One waits for a lock, with a time limit, that the other holds while it reads the clock: in time,
// first or second, or late, before the read or behind it.
// RUN: heddle run --strategy=dfs --keep-going -- one waits longer
// EXPECT: clean, complete, classes=4
// RUN: heddle run --strategy=optimal-dpor --keep-going -- one waits longer
// EXPECT: clean, complete, runs=4, classes=4
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int number;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
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

static void* SleepsAndMeasures(void* nothing) {
  const struct timespec a_while = {0, 1000000};
  nanosleep(&a_while, 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return nothing;
}

static void* WaitsForLock(void* nothing) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  ++limit.tv_sec;
  if (pthread_mutex_timedlock(&mutex, &limit) == 0) pthread_mutex_unlock(&mutex);
  return nothing;
}

static void* MeasuresUnderLock(void* nothing) {
  pthread_mutex_lock(&mutex);
  clock_gettime(CLOCK_MONOTONIC, &end);
  pthread_mutex_unlock(&mutex);
  return nothing;
}

static int Both(void* (*one)(void*), void* (*other)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, other, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}

int main(int argc, char** argv) {
  (void)argv;
  pthread_t sleeps, measures;
  if (argc == 3) return Both(Sleeps, SleepsAndMeasures);
  if (argc == 4) return Both(WaitsForLock, MeasuresUnderLock);
  if (argc > 1) Measures(0);
  pthread_create(&sleeps, 0, Sleeps, 0);
  if (argc == 1) {
    pthread_create(&measures, 0, Measures, 0);
    pthread_join(measures, 0);
  }
  pthread_join(sleeps, 0);
  return 0;
}
