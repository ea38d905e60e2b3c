// A trylock that is thought to succeed meets the lock taken.
// RUN: heddle run --runs=200
// EXPECT: kind=assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* Try(void* unused) {
  (void)unused;
  assert(pthread_mutex_trylock(&lock) == 0);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Try, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
