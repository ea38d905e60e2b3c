// A timed wait ends by the signal or by its deadline, never otherwise.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready = 0;

static void* Wait(void* unused) {
  (void)unused;
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 5;
  pthread_mutex_lock(&lock);
  int result = 0;
  while (!ready && result == 0) result = pthread_cond_timedwait(&changed, &lock, &deadline);
  assert(result == 0 || result == ETIMEDOUT);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (!ready) assert(now.tv_sec >= deadline.tv_sec);
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
