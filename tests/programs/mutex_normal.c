// A counter behind a mutex loses nothing.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter = 0;

static void* Count(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    ++counter;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Count, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(counter == 9);
}
