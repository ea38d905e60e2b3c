// A timed wait for a read-write lock gets it, or times out while the writer is inside: both happen.
// RUN: heddle run --runs=500 -- 0
// EXPECT: kind=assertion, any-schedule
// RUN: heddle run --runs=500 -- 1
// EXPECT: kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* Write(void* unused) {
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_create(&thread, NULL, Write, NULL);
  struct timespec soon;
  clock_gettime(CLOCK_MONOTONIC, &soon);
  ++soon.tv_sec;
  const int result = pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &soon);
  assert(result != (atoi(words[1]) == 0 ? 0 : ETIMEDOUT));
  if (result == 0) pthread_rwlock_unlock(&lock);
  pthread_join(thread, NULL);
}
