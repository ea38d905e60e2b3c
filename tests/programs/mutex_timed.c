// A timed lock gives up after an hour that takes no time.
// RUN: heddle run --runs=200 --keep-going
// EXPECT: clean, not-native
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* Wait(void* unused) {
  (void)unused;
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 3600;
  assert(pthread_mutex_timedlock(&lock, &deadline) == ETIMEDOUT);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  assert(now.tv_sec >= deadline.tv_sec);
  return NULL;
}

int main(void) {
  pthread_mutex_lock(&lock);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&lock);
}
