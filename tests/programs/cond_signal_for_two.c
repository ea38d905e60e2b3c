// One signal for two waiters leaves one asleep.
// RUN: heddle run --runs=500
// EXPECT: kind=deadlock
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready = 0;

static void* Wait(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  while (ready == 0) pthread_cond_wait(&changed, &lock);
  --ready;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Wait, NULL);
  pthread_mutex_lock(&lock);
  ready = 2;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
