// An error-checking mutex says what is wrong and blocks nobody.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void* Misuse(void* unused) {
  (void)unused;
  assert(pthread_mutex_unlock(&lock) == EPERM);
  assert(pthread_mutex_lock(&lock) == 0);
  assert(pthread_mutex_lock(&lock) == EDEADLK);
  assert(pthread_mutex_trylock(&lock) == EBUSY);
  assert(pthread_mutex_unlock(&lock) == 0);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t checked;
  pthread_mutexattr_init(&checked);
  pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&lock, &checked);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Misuse, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
