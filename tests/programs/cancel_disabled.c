// A thread that does not let itself be cancelled goes on until it does.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int steps;

static void* Work(void* unused) {
  int old = -1;
  assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
  atomic_store(&steps, 1);
  const struct timespec a_moment = {0, 1000};
  nanosleep(&a_moment, NULL);
  pthread_testcancel();
  atomic_store(&steps, 2);
  pthread_setcancelstate(old, NULL);
  for (;;) pthread_testcancel();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  while (atomic_load(&steps) == 0) {
  }
  pthread_cancel(thread);
  void* result = NULL;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && atomic_load(&steps) == 2);
}
