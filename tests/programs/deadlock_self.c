// A thread that locks its own mutex again waits for itself.
// RUN: heddle run --runs=50
// EXPECT: kind=deadlock, any-schedule
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* Twice(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Twice, NULL);
  pthread_join(thread, NULL);
}
