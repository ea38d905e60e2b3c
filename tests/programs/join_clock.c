// A join may be timed by the monotonic clock; without a time it waits.
// RUN: heddle run --runs=100 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static void* Nothing(void* unused) { return unused; }

static void* Wait(void* unused) {
  struct timespec far;
  clock_gettime(CLOCK_MONOTONIC, &far);
  assert(pthread_clockjoin_np(pthread_self(), NULL, CLOCK_PROCESS_CPUTIME_ID, &far) != 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Nothing, NULL);
  assert(pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, NULL) == 0);
  pthread_create(&thread, NULL, Wait, NULL);
  assert(pthread_timedjoin_np(thread, NULL, NULL) == 0);
}
