// The clock of a condition variable is the one it was made with.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never;

static void* Wait(void* unused) {
  // In the past of the monotonic clock only if this is read as a monotonic time.
  struct timespec soon;
  clock_gettime(CLOCK_MONOTONIC, &soon);
  pthread_mutex_lock(&lock);
  assert(pthread_cond_timedwait(&never, &lock, &soon) == ETIMEDOUT);
  pthread_mutex_unlock(&lock);
  struct timespec after;
  clock_gettime(CLOCK_MONOTONIC, &after);
  assert(after.tv_sec - soon.tv_sec < 1000);
  return unused;
}

int main(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&never, &attributes);
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
}
