// Whoever waits for a robust mutex when its owner ends gets it, and is told; or comes too early.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void* TakeAndEnd(void* unused) {
  const int error = pthread_mutex_lock(&lock);
  assert(error == 0 || error == EOWNERDEAD);
  if (error == EOWNERDEAD) assert(pthread_mutex_consistent(&lock) == 0);
  return unused;
}

int main(void) {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &robust);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, TakeAndEnd, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(pthread_mutex_trylock(&lock) == EOWNERDEAD);
  assert(pthread_mutex_consistent(&lock) == 0);
  assert(pthread_mutex_unlock(&lock) == 0);
}
