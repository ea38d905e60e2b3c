// A time that is none matters only to a lock that has to wait.
// RUN: heddle run --runs=50 --keep-going
// EXPECT: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec wrong = {0, -1};

static void* Wait(void* unused) {
  assert(pthread_mutex_timedlock(&lock, &wrong) == EINVAL);
  return unused;
}

int main(void) {
  pthread_t thread;
  assert(pthread_mutex_timedlock(&lock, &wrong) == 0);
  pthread_create(&thread, NULL, Wait, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&lock);
}
