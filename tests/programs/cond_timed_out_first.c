// A time-out may come before the signal, unless time passes only when nobody can run.
// RUN: heddle run --runs=500
// EXPECT: kind=assertion
// RUN: heddle run --runs=500 --keep-going --timeouts=idle
// EXPECT: clean
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready = 0;

static void* Wait(void* unused) {
  (void)unused;
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 1000;
  pthread_mutex_lock(&lock);
  int result = 0;
  while (!ready && result == 0) result = pthread_cond_timedwait(&changed, &lock, &deadline);
  assert(ready);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
}
