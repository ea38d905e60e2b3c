// A wait of many seconds against a wake-up after half a second: it may fail only if a time-out fires
// although somebody else is due earlier, and that is said.
// RUN: heddle run --runs=500
// EXPECT: kind=crash, output~were due to wake earlier
// RUN: heddle run --runs=500 --timeouts=idle
// EXPECT: clean
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void* Set(void* argument) {
  const struct timespec half = {0, 500000000};
  nanosleep(&half, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  struct timespec end;
  pthread_t setter;
  pthread_create(&setter, NULL, Set, NULL);
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 1000;
  pthread_mutex_lock(&mutex);
  while (!ready) {
    if (pthread_cond_timedwait(&condition, &mutex, &end) == ETIMEDOUT) abort();
  }
  pthread_mutex_unlock(&mutex);
  pthread_join(setter, NULL);
  return 0;
}
