// Waiting for a mutex is no cancellation point: the thread gets it, and ends later.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int got;

static void* Work(void* unused) {
  pthread_mutex_lock(&lock);
  got = 1;
  pthread_mutex_unlock(&lock);
  for (;;) pthread_testcancel();
  return unused;
}

int main(void) {
  pthread_mutex_lock(&lock);
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  pthread_cancel(thread);
  pthread_mutex_unlock(&lock);
  void* result = NULL;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && got == 1);
}
