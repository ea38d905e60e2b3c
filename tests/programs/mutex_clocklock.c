// A mutex may be waited for by the monotonic clock, and by no CPU clock.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* Wait(void* unused) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  assert(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &now) == ETIMEDOUT);
  assert(pthread_mutex_clocklock(&lock, CLOCK_PROCESS_CPUTIME_ID, &now) == EINVAL);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&lock);
}
