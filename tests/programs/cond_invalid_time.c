// A time that is none is refused before the mutex is given up.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* Wait(void* unused) {
  const struct timespec wrong = {0, 1000000000};
  pthread_mutex_lock(&lock);
  assert(pthread_cond_timedwait(&never, &lock, &wrong) == EINVAL);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
}
