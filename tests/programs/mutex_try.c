// trylock never blocks, and lets one thread in.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside = 0;

static void* Try(void* unused) {
  (void)unused;
  const int result = pthread_mutex_trylock(&lock);
  assert(result == 0 || result == EBUSY);
  if (result == 0) {
    assert(inside++ == 0);
    --inside;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Try, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}
