// Where writers are preferred, a writer that times out lets the readers in again.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock;

static void* Write(void* unused) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  assert(pthread_rwlock_timedwrlock(&lock, &now) == ETIMEDOUT);
  return unused;
}

static void* Read(void* unused) {
  assert(pthread_rwlock_rdlock(&lock) == 0);
  assert(pthread_rwlock_unlock(&lock) == 0);
  return unused;
}

int main(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attributes);
  pthread_rwlock_rdlock(&lock);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, Write, NULL);
  pthread_create(&threads[1], NULL, Read, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_rwlock_unlock(&lock);
}
