// Waiting for a read-write lock that is never given back ends with the time.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* Wait(void* unused) {
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 1000000;
  if (soon.tv_nsec >= 1000000000) soon.tv_nsec -= 1000000000, ++soon.tv_sec;
  assert(pthread_rwlock_timedrdlock(&lock, &soon) == ETIMEDOUT);
  assert(pthread_rwlock_timedwrlock(&lock, &soon) == ETIMEDOUT);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_rwlock_wrlock(&lock);
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
  pthread_rwlock_unlock(&lock);
}
