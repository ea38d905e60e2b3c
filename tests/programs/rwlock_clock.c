// The clock of a wait for a read-write lock may be the monotonic one, and no CPU clock.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* Wait(void* unused) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &now) == ETIMEDOUT);
  assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &now) == 0);
  pthread_rwlock_unlock(&lock);
  assert(pthread_rwlock_clockrdlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &now) == EINVAL);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_rwlock_rdlock(&lock);
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
  pthread_rwlock_unlock(&lock);
}
