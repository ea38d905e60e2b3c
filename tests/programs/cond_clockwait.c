// A wait by the monotonic clock ends with the time, holding the mutex again.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* Wait(void* unused) {
  struct timespec soon;
  clock_gettime(CLOCK_MONOTONIC, &soon);
  soon.tv_nsec += 1000000;
  if (soon.tv_nsec >= 1000000000) soon.tv_nsec -= 1000000000, ++soon.tv_sec;
  pthread_mutex_lock(&lock);
  assert(pthread_cond_clockwait(&never, &lock, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Wait, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
